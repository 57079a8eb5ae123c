package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.coverage.Coverage;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.CallSite;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Formats an anomaly as a block of text that a developer reads in ten seconds: what it is and how
 * bad, which transaction did what in which order, why no serial order explains it, and what would
 * prevent it.
 *
 * <p>Lines are at most {@value #WIDTH} cells wide, unless another width is requested. Text that
 * txwatch adds is ASCII, so that any terminal and any log shows it.
 */
public final class TextReport {

  /** The width of a line, in terminal cells. */
  static final int WIDTH = 100;

  private static final int MIN_WIDTH = 60;

  /** Up to this many transactions get a column each, wide enough for SQL. */
  private static final int MAX_COLUMNS = 3;

  /** Up to this many transactions get a narrow lane each, left of the SQL. */
  private static final int MAX_LANES = 10;

  private static final int LANE_WIDTH = 4;
  private static final int GAP = 2;
  private static final int MAX_SQL_LINES = 3;
  private static final int MAX_HEADLINE_ROWS = 4;
  private static final String MARGIN = "  ";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private TextReport() {}

  /** The block of an anomaly, ended by a newline. */
  public static String of(Anomaly anomaly) {
    return of(anomaly, 1);
  }

  /** The block of an anomaly that represents {@code count} of its kind, ended by a newline. */
  public static String of(Anomaly anomaly, long count) {
    return of(anomaly, times(count), WIDTH);
  }

  /**
   * One line for {@code count} anomalies: the name, verdict, database, count and call sites, which
   * the first of them shows, and their id. Not wrapped.
   */
  public static String line(Anomaly anomaly, long count) {
    Set<String> places = new LinkedHashSet<>();
    for (ObservedTransaction transaction : anomaly.transactions()) {
      for (ObservedStatement statement : transaction.statements()) {
        places.add(
            TerminalText.escape(
                statement.callSite().isEmpty()
                    ? TerminalText.shorten(statement.sql(), WIDTH / 2)
                    : CallSite.place(statement.callSite())));
      }
    }
    return name(anomaly, "  " + Counted.of(count, "time"))
        + (places.isEmpty() ? "" : "  at " + String.join(", ", places))
        + "  id "
        + Fingerprint.of(anomaly);
  }

  /** A group: its first anomaly, the count, the rate, and the time range. */
  public static String of(AnomalyGroups.Group group) {
    return fitting(WIDTH, group);
  }

  /** An anomaly in lines of at most that many cells, {@value #MIN_WIDTH} at least. */
  public static String fitting(int width, Anomaly anomaly) {
    return of(anomaly, "", Math.max(MIN_WIDTH, width));
  }

  /** A group in lines of at most that many cells, {@value #MIN_WIDTH} at least. */
  public static String fitting(int width, AnomalyGroups.Group group) {
    return of(group.first(), times(group), Math.max(MIN_WIDTH, width));
  }

  private static String times(AnomalyGroups.Group group) {
    OptionalDouble perSecond = group.perSecond();
    return perSecond.isEmpty()
        ? times(group.count())
        : String.format(
            Locale.ROOT,
            "  %,d times, %.3g a second, %s to %s UTC",
            group.count(),
            perSecond.getAsDouble(),
            time(group.firstMicros()),
            time(group.lastMicros()));
  }

  private static String times(long count) {
    return count == 1 ? "" : String.format(Locale.ROOT, "  %,d times", count);
  }

  private static String time(long micros) {
    return TIME.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  private static String of(Anomaly anomaly, String times, int total) {
    List<String> lines =
        new ArrayList<>(indented("", headline(anomaly, times), MARGIN + MARGIN, total));
    int columns = anomaly.transactions().size();
    lines.addAll(columns <= MAX_COLUMNS ? columns(anomaly, total) : lanes(anomaly, total));
    String traces = traces(anomaly);
    if (!traces.isEmpty()) {
      String trace = MARGIN + "traces   ";
      lines.addAll(indented(trace, traces, " ".repeat(trace.length()), total));
    }
    String label = MARGIN + "why      ";
    for (String clause : Explanation.of(anomaly)) {
      lines.addAll(indented(label, clause, " ".repeat(label.length() + GAP), total));
      label = " ".repeat(label.length());
    }
    if (!anomaly.advice().isBlank()) {
      String prevent = MARGIN + "prevent  ";
      lines.addAll(
          indented(
              prevent, TerminalText.escape(anomaly.advice()), " ".repeat(prevent.length()), total));
    }
    lines.add(MARGIN + "id       " + Fingerprint.of(anomaly));
    StringBuilder block = new StringBuilder();
    lines.forEach(line -> block.append(line.stripTrailing()).append('\n'));
    return block.toString();
  }

  /**
   * The coverage: a line for what was observed, and one for each reason why something was not, with
   * what to do about it; ended by a newline.
   */
  public static String coverage(Coverage coverage) {
    return CoverageText.of(coverage, WIDTH);
  }

  /** The coverage in lines of at most that many cells, {@value #MIN_WIDTH} at least. */
  public static String coverage(int width, Coverage coverage) {
    return CoverageText.of(coverage, Math.max(MIN_WIDTH, width));
  }

  /**
   * How many pairs of accesses only a row connects, in lines of at most that many cells, {@value
   * #MIN_WIDTH} at least.
   */
  public static String rowLevel(int width, Coverage coverage) {
    return CoverageText.rowLevel(coverage, Math.max(MIN_WIDTH, width));
  }

  private static String headline(Anomaly anomaly, String times) {
    return name(anomaly, times) + rows(anomaly, times.isEmpty() ? "  " : ", first through ");
  }

  private static String name(Anomaly anomaly, String times) {
    String name = anomaly.phenomenon().name();
    String cycle =
        anomaly
            .cycleTerm()
            .filter(term -> !term.equals(anomaly.phenomenon().term()))
            .map(term -> " (" + term + ")")
            .orElse("");
    String doubts =
        (anomaly.confidence() == Confidence.SUSPECTED ? " (suspected)" : "")
            + (anomaly.possible() ? " (possible)" : "");
    return name
        + cycle
        + "  "
        + anomaly.verdict()
        + doubts
        + "  "
        + TerminalText.escape(anomaly.database().product().displayName())
        + " at "
        + level(anomaly.isolation())
        + times;
  }

  private static String level(IsolationLevel level) {
    return level.isKnown() ? level.name() : level.words();
  }

  private static String rows(Anomaly anomaly, String introduction) {
    RowNames names = RowNames.of(anomaly);
    Map<String, Set<String>> byTable = new LinkedHashMap<>();
    int shown = 0;
    int left = 0;
    for (Dependency edge : anomaly.cycle()) {
      if (edge.kind().isOrder()) {
        continue;
      }
      Set<String> rows = byTable.computeIfAbsent(edge.table(), t -> new LinkedHashSet<>());
      if (shown < MAX_HEADLINE_ROWS) {
        shown += rows.add(names.id(edge)) ? 1 : 0;
      } else {
        left += rows.contains(names.id(edge)) ? 0 : 1;
      }
    }
    return rows(byTable, introduction) + (left > 0 ? " and " + left + " more" : "");
  }

  private static String rows(Map<String, Set<String>> byTable, String introduction) {
    StringBuilder text = new StringBuilder();
    byTable.forEach(
        (table, rows) -> {
          if (!rows.isEmpty()) {
            text.append(text.isEmpty() ? introduction : ", ")
                .append(TerminalText.escape(table))
                .append(rows.size() == 1 ? " row " : " rows ")
                .append(String.join(", ", rows));
          }
        });
    return text.toString();
  }

  /** A wide column for each transaction, with each statement above its effects. */
  private static List<String> columns(Anomaly anomaly, int total) {
    int count = Math.max(1, anomaly.transactions().size());
    int width = (total - MARGIN.length() - GAP * (count - 1)) / count;
    List<String> lines = new ArrayList<>();
    List<List<String>> heads = new ArrayList<>();
    for (int i = 0; i < anomaly.transactions().size(); i++) {
      heads.add(TerminalText.wrap(TerminalText.shorten(transaction(anomaly, i), width * 2), width));
    }
    int headLines = heads.stream().mapToInt(List::size).max().orElse(0);
    for (int n = 0; n < headLines; n++) {
      StringBuilder line = new StringBuilder(MARGIN);
      for (List<String> head : heads) {
        line.append(TerminalText.pad(n < head.size() ? head.get(n) : "", width + GAP));
      }
      lines.add(line.toString());
    }
    if (!heads.isEmpty()) {
      lines.add(
          MARGIN
              + String.join(" ".repeat(GAP), heads.stream().map(h -> "-".repeat(width)).toList()));
    }
    for (PossibleOrder.Step step : PossibleOrder.of(anomaly)) {
      String before = MARGIN + " ".repeat(step.column() * (width + GAP));
      step(step, width).forEach(text -> lines.add(before + text));
    }
    return lines;
  }

  /** Narrow lanes that mark the executing transaction, with the statements on the right. */
  private static List<String> lanes(Anomaly anomaly, int total) {
    int count = anomaly.transactions().size();
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(MARGIN + TerminalText.shorten(transaction(anomaly, i), total - MARGIN.length()));
    }
    lines.add(MARGIN + "-".repeat(total - MARGIN.length()));
    boolean narrow = count <= MAX_LANES;
    int lanesWidth = narrow ? count * LANE_WIDTH : LANE_WIDTH + 1;
    for (PossibleOrder.Step step : PossibleOrder.of(anomaly)) {
      String label = Explanation.label(step.column());
      String mark = label;
      for (String text : step(step, total - MARGIN.length() - lanesWidth - GAP)) {
        String lane = narrow ? lane(count, step.column(), mark) : mark.equals(label) ? label : "";
        lines.add(MARGIN + TerminalText.pad(lane, lanesWidth + GAP) + text);
        mark = "|";
      }
    }
    return lines;
  }

  /** A mark in one of the lanes, and dots in the others. */
  private static String lane(int lanes, int column, String mark) {
    StringBuilder lane = new StringBuilder();
    for (int i = 0; i < lanes; i++) {
      lane.append(TerminalText.pad(i == column ? mark : ".", LANE_WIDTH));
    }
    return lane.toString();
  }

  private static List<String> step(PossibleOrder.Step step, int width) {
    String sql = TerminalText.escape(step.statement().sql());
    // Breaks at spaces waste room: text shortened to one line less fits.
    List<String> lines =
        new ArrayList<>(
            TerminalText.wrap(TerminalText.shorten(sql, width * (MAX_SQL_LINES - 1)), width));
    List<String> details = new ArrayList<>();
    if (!step.statement().callSite().isEmpty()) {
      details.add("at " + callSite(step.statement(), width - 6));
      String caller = CallSite.caller(step.statement().callSite());
      if (!caller.isEmpty()) {
        details.add("called from " + TerminalText.escape(caller));
      }
    }
    details.addAll(step.effects());
    if (!details.isEmpty()) {
      lines.addAll(
          indented(
              MARGIN, TerminalText.shorten(String.join(", ", details), width * 3), MARGIN, width));
    }
    return lines;
  }

  /** The call site with its method, if each part fits on a line. */
  private static String callSite(ObservedStatement statement, int width) {
    String shown = TerminalText.escape(CallSite.shown(statement.callSite()));
    return Stream.of(shown.split(" ")).allMatch(part -> TerminalText.width(part) <= width)
        ? shown
        : TerminalText.shorten(TerminalText.escape(CallSite.line(statement.callSite())), width);
  }

  private static String transaction(Anomaly anomaly, int column) {
    ObservedTransaction transaction = anomaly.transactions().get(column);
    String outcome =
        transaction
            .outcome()
            .map(
                end ->
                    switch (end) {
                      case COMMITTED -> "committed";
                      case ABORTED -> "ABORTED";
                      case UNKNOWN -> "outcome unknown";
                    })
            .orElse("still running");
    String level =
        transaction.level() == anomaly.isolation() ? "" : ", " + level(transaction.level());
    return Explanation.label(column)
        + " "
        + outcome
        + level
        + "  ("
        + Ids.display(transaction.id())
        + ", "
        + TerminalText.escape(transaction.title())
        + ")";
  }

  /** The traces of the transactions, in full; empty if none is known. */
  private static String traces(Anomaly anomaly) {
    List<String> traces = new ArrayList<>();
    for (int i = 0; i < anomaly.transactions().size(); i++) {
      String traceId = anomaly.transactions().get(i).traceId();
      if (!traceId.isEmpty()) {
        traces.add(Explanation.label(i) + " " + TerminalText.escape(traceId));
      }
    }
    return String.join(", ", traces);
  }

  private static List<String> indented(String first, String text, String others, int width) {
    List<String> lines = new ArrayList<>();
    String indent = first;
    for (String line : TerminalText.wrap(text, width - Math.max(first.length(), others.length()))) {
      lines.add(indent + line);
      indent = others;
    }
    return lines;
  }
}
