package io.txwatch.document;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.CallSite;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Explanation;
import io.txwatch.report.PossibleOrder;
import io.txwatch.report.Report;
import io.txwatch.report.RowNames;
import io.txwatch.report.TerminalText;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A picture of the first anomaly of each phenomenon: a lane for each transaction, a box for each
 * statement, and an arrow for each dependency. Light and dark follow the viewer.
 */
final class SvgDocument {

  private static final int MARGIN = 20;
  private static final int LANE = 330;
  private static final int GAP = 90;
  private static final int LINE = 17;
  private static final int LINE_CHARACTERS = 42;
  private static final int MAX_SQL_LINES = 5;
  private static final int PADDING = 9;
  private static final int BETWEEN = 14;

  private static final String STYLE =
      """
      :root { color-scheme: light dark; }
      svg { background: #ffffff; font: 13px "Liberation Sans", Arial, sans-serif; }
      text { fill: #1a1d21; } .muted { fill: #555d68; } .title { font-size: 17px; font-weight: 700; }
      .sql { font-family: "Liberation Mono", monospace; font-size: 12px; white-space: pre; }
      .box { fill: #e8eef7; stroke: #c9ced6; } .context { fill: #ffffff; stroke-dasharray: 4 3; }
      .lane { stroke: #c9ced6; stroke-width: 2; }
      .edge { fill: none; stroke-width: 2; } .label { font-weight: 700; text-anchor: middle; }
      .ww { stroke: #7a3aa8; } .wr { stroke: #0b6b3a; } .rw { stroke: #a11212; } .so, .rt { stroke: #555d68; }
      .label.ww { fill: #7a3aa8; } .label.wr { fill: #0b6b3a; } .label.rw { fill: #a11212; }
      .label { stroke: none; }
      @media (prefers-color-scheme: dark) {
        svg { background: #14171b; } text { fill: #e6e9ed; } .muted { fill: #a9b2be; }
        .box { fill: #25303d; stroke: #434b56; } .context { fill: #14171b; } .lane { stroke: #434b56; }
        .ww { stroke: #d0a3f2; } .wr { stroke: #7fd6a4; } .rw { stroke: #ff9b9b; } .so, .rt { stroke: #a9b2be; }
        .label.ww { fill: #d0a3f2; } .label.wr { fill: #7fd6a4; } .label.rw { fill: #ff9b9b; }
      }
      """;

  private final StringBuilder body = new StringBuilder();
  private int width = 2 * MARGIN + LANE;
  private int y = MARGIN;

  private SvgDocument() {}

  static String of(Report report) {
    SvgDocument picture = new SvgDocument();
    Set<Phenomenon> shown = EnumSet.noneOf(Phenomenon.class);
    for (Group group : report.anomalies()) {
      if (shown.add(group.first().phenomenon())) {
        picture.draw(group);
      }
    }
    if (shown.isEmpty()) {
      picture.text(MARGIN, "title", "No anomaly was found.");
    }
    return String.format(
        Locale.ROOT,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\" viewBox=\"0 0"
            + " %1$d %2$d\">%n<style>%n%3$s</style>%n<defs><marker id=\"head\" viewBox=\"0 0 10"
            + " 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path"
            + " d=\"M0 0 L10 5 L0 10 z\" fill=\"context-stroke\"/></marker></defs>%n%4$s</svg>%n",
        picture.width,
        picture.y + MARGIN,
        STYLE,
        picture.body);
  }

  private void draw(Group group) {
    Anomaly anomaly = group.first();
    int lanes = anomaly.transactions().size();
    width = Math.max(width, 2 * MARGIN + lanes * LANE + (lanes - 1) * GAP);
    text(MARGIN, "title", Sentences.title(anomaly));
    text(MARGIN, "muted", Sentences.circumstances(group));
    y += BETWEEN;
    int top = y;
    for (int lane = 0; lane < lanes; lane++) {
      ObservedTransaction transaction = anomaly.transactions().get(lane);
      y = top;
      String title = TerminalText.escape(Explanation.label(lane) + "  " + transaction.title());
      text(left(lane), "", TerminalText.shorten(title, LINE_CHARACTERS));
    }
    int lanesAt = body.length();
    int lanesFrom = y;
    Map<String, Integer> middles = new HashMap<>();
    for (PossibleOrder.Step step : PossibleOrder.of(anomaly)) {
      box(anomaly, step, middles);
    }
    StringBuilder lines = new StringBuilder();
    for (int lane = 0; lane < lanes; lane++) {
      int x = left(lane) + LANE / 2;
      lines.append(
          String.format(
              Locale.ROOT,
              "<line class=\"lane\" x1=\"%1$d\" x2=\"%1$d\" y1=\"%2$d\" y2=\"%3$d\"/>\n",
              x,
              lanesFrom,
              y));
    }
    body.insert(lanesAt, lines);
    RowNames rows = RowNames.of(anomaly);
    anomaly.cycle().forEach(edge -> arrow(anomaly, edge, rows, middles));
    y += BETWEEN;
    for (String clause : Explanation.of(anomaly)) {
      text(MARGIN, "", clause);
    }
    TerminalText.wrap(anomaly.advice(), 100).forEach(line -> text(MARGIN, "muted", line));
    y += 2 * BETWEEN;
  }

  private static int left(int lane) {
    return MARGIN + lane * (LANE + GAP);
  }

  private void text(int x, String style, String text) {
    y += LINE;
    body.append(
        String.format(
            Locale.ROOT,
            "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n",
            style,
            x,
            y,
            Xml.escape(TerminalText.escape(text))));
  }

  private void box(Anomaly anomaly, PossibleOrder.Step step, Map<String, Integer> middles) {
    ObservedStatement statement = step.statement();
    List<String> sql = TerminalText.wrap(TerminalText.escape(statement.sql()), LINE_CHARACTERS);
    List<String> shown = new ArrayList<>(sql.subList(0, Math.min(MAX_SQL_LINES, sql.size())));
    if (shown.size() < sql.size()) {
      shown.add("...");
    }
    List<String> callSite =
        statement.callSite().isEmpty()
            ? List.of()
            : TerminalText.wrap(
                TerminalText.escape(
                    "at " + CallSite.shown(statement.callSite()) + caller(statement)),
                LINE_CHARACTERS);
    int x = left(step.column());
    List<String> effects =
        step.effects().stream()
            .flatMap(
                effect -> TerminalText.wrap(TerminalText.escape(effect), LINE_CHARACTERS).stream())
            .toList();
    int lines = shown.size() + callSite.size() + effects.size();
    y += BETWEEN;
    int height = lines * LINE + 2 * PADDING;
    body.append(
        String.format(
            Locale.ROOT,
            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n",
            step.isContext() ? "box context" : "box",
            x,
            y,
            LANE,
            height));
    middles.put(
        place(anomaly.transactions().get(step.column()).id(), statement.number()), y + height / 2);
    int bottom = y + height;
    y += PADDING - 4;
    shown.forEach(line -> text(x + PADDING, "sql", line));
    callSite.forEach(line -> text(x + PADDING, "muted", line));
    effects.forEach(effect -> text(x + PADDING, "", effect));
    y = bottom;
  }

  private static String place(long transaction, int statement) {
    return transaction + "/" + statement;
  }

  private void arrow(
      Anomaly anomaly, Dependency edge, RowNames rows, Map<String, Integer> middles) {
    Integer from = middles.get(place(edge.from(), edge.fromStatement()));
    Integer to = middles.get(place(edge.to(), edge.toStatement()));
    int first = lane(anomaly, edge.from());
    int second = lane(anomaly, edge.to());
    if (from == null || to == null || first == second) {
      return;
    }
    boolean right = first < second;
    int x1 = left(first) + (right ? LANE : 0);
    int x2 = left(second) + (right ? 0 : LANE);
    int bend = (x2 - x1) / 2;
    body.append(
        String.format(
            Locale.ROOT,
            "<path class=\"edge %s\" marker-end=\"url(#head)\" d=\"M%d %d C%d %d %d %d %d %d\"/>%n",
            edge.kind().term(),
            x1,
            from,
            x1 + bend,
            from,
            x2 - bend,
            to,
            x2,
            to));
    body.append(
        String.format(
            Locale.ROOT,
            "<text class=\"label %s\" x=\"%d\" y=\"%d\"><title>%s</title>%s</text>%n",
            edge.kind().term(),
            Math.round(onCurve(x1, x1 + bend, x2 - bend, x2)),
            Math.round(onCurve(from, from, to, to)) - 5,
            Xml.escape(edge.table().isEmpty() ? "" : TerminalText.escape(rows.of(edge))),
            edge.kind().term()));
  }

  /** A point on a curve, nearer to its start, where labels of arrows that cross do not meet. */
  private static double onCurve(double start, double control1, double control2, double end) {
    double t = 0.3;
    double u = 1 - t;
    return u * u * u * start
        + 3 * u * u * t * control1
        + 3 * u * t * t * control2
        + t * t * t * end;
  }

  private static int lane(Anomaly anomaly, long transaction) {
    for (int i = 0; i < anomaly.transactions().size(); i++) {
      if (anomaly.transactions().get(i).id() == transaction) {
        return i;
      }
    }
    return 0;
  }

  private static String caller(ObservedStatement statement) {
    String caller = CallSite.caller(statement.callSite());
    return caller.isEmpty() ? "" : ", called from " + caller;
  }
}
