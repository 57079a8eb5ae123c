package io.txwatch.cli;

import io.txwatch.campaign.CampaignFinding;
import io.txwatch.dbms.Dbms;
import io.txwatch.document.Markdown;
import io.txwatch.document.Xml;
import io.txwatch.schedule.StepOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A finding of {@code fuzz} for people and for build servers: what was expected beside what the
 * DBMS did, and the schedule with a lane for each session.
 *
 * @param title what was found, where
 * @param facts further sentences
 * @param expected what the oracle expects
 * @param actual what the DBMS did
 * @param setup the statements that make the schema and its rows
 * @param steps the schedule
 * @param replay the command that repeats it
 */
record FindingDocument(
    String title,
    List<String> facts,
    String expected,
    String actual,
    List<String> setup,
    List<Line> steps,
    String replay) {

  /**
   * A statement of the schedule.
   *
   * @param session its session; {@code F} for a read of the final state
   * @param sql its text
   * @param outcome what came of it
   * @param wrong whether it shows the violation
   */
  record Line(String session, String sql, String outcome, boolean wrong) {}

  private static final String NO_CYCLE = "No dependencies that the level rules out.";
  private static final List<String> EXPECTATIONS = List.of(", its view gives ", ", serially ");
  private static final List<String> RESULTS = List.of("' gave ", "' returned ", "final state ");

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --text: #1a1d21; --muted: #555d68; --border: #c9ced6; --bar: #e8eef7;
        --bad: #a11212; --bad-bar: #fde6e6; --good: #0b6b3a; --background: #fff; }
      @media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --muted: #a9b2be; --border: #434b56;
        --bar: #25303d; --bad: #ff9b9b; --bad-bar: #431c1c; --good: #7fd6a4; --background: #14171b; } }
      body { max-width: 70rem; margin: 0 auto; padding: 1rem; background: var(--background); color: var(--text);
        font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
      code, pre { font: .88em/1.45 ui-monospace, Consolas, "Liberation Mono", monospace; white-space: pre-wrap;
        overflow-wrap: anywhere; }
      .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
      .pair section { border: 1px solid var(--border); border-left: 4px solid var(--good); padding: .25rem 1rem; border-radius: 4px; }
      .pair section + section { border-left-color: var(--bad); }
      .wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; table-layout: fixed; }
      th { text-align: left; border-bottom: 2px solid var(--border); } td { vertical-align: top; padding: .25rem .5rem .25rem 0; }
      .bar { background: var(--bar); border: 1px solid var(--border); border-radius: 6px; padding: .3rem .5rem; }
      .bar.wrong { background: var(--bad-bar); border-color: var(--bad); }
      .outcome { color: var(--muted); display: block; } .wrong .outcome { color: var(--bad); font-weight: 600; }
      @media (max-width: 46rem) { .pair { grid-template-columns: 1fr; } }
      """;

  /** What it means that another oracle finds no violation. */
  static final String DISAGREEMENT =
      "Techniques disagree: each examines something else, or one of them is wrong.";

  static FindingDocument of(CampaignFinding finding, Dbms dbms, String replay) {
    List<Line> steps = new ArrayList<>();
    for (StepOutcome outcome : finding.execution().outcomes()) {
      boolean wrong =
          finding
              .verdict()
              .statement()
              .filter(step -> step.id() == outcome.step().id())
              .isPresent();
      steps.add(line(outcome, dbms, wrong));
    }
    finding.execution().finalReads().forEach(read -> steps.add(line(read, dbms, false)));
    List<String> facts = new ArrayList<>();
    facts.add("In " + finding.reproduced() + " of " + finding.runs() + " fresh runs.");
    String settings = FindingFolder.settings(dbms, finding.reduced());
    if (!settings.isEmpty()) {
      facts.add("Settings: " + settings + ".");
    }
    finding.likeness().ifPresent(facts::add);
    finding.comparisonLines().forEach(line -> facts.add(line + "."));
    finding
        .known()
        .ifPresent(known -> facts.add(known.description() + " (" + known.source() + ")"));
    finding
        .others()
        .forEach(
            other -> facts.add("By " + other.oracle() + ": " + FindingFolder.result(other) + "."));
    if (!finding.disagreeing().isEmpty()) {
      facts.add(DISAGREEMENT);
    }
    String reason = finding.reason();
    return new FindingDocument(
        finding.oracle()
            + " found a violation: "
            + dbms.describe()
            + " at "
            + finding.level().name().replace('_', ' '),
        facts,
        finding.verdict().anomalies().isEmpty() ? expected(reason) : NO_CYCLE,
        actual(reason),
        finding.reduced().setup().stream().map(sql -> dbms.renderSql(sql).strip() + ";").toList(),
        steps,
        replay);
  }

  private static Line line(StepOutcome outcome, Dbms dbms, boolean wrong) {
    String text = outcome.toString();
    String before = outcome.step().session() + ": " + outcome.step().sql() + " -> ";
    return new Line(
        outcome.step().session(),
        dbms.renderSql(outcome.step().sql()),
        text.startsWith(before) ? text.substring(before.length()) : text,
        wrong);
  }

  /** What an oracle's reason gives as the expected result. */
  static String expected(String reason) {
    for (String expectation : EXPECTATIONS) {
      int at = reason.lastIndexOf(expectation);
      if (at >= 0) {
        return reason.substring(at + expectation.length());
      }
    }
    return "What the level promises.";
  }

  /** What an oracle's reason gives as the result of the DBMS. */
  static String actual(String reason) {
    String text = reason;
    for (String expectation : EXPECTATIONS) {
      int at = text.lastIndexOf(expectation);
      text = at < 0 ? text : text.substring(0, at);
    }
    for (String result : RESULTS) {
      int at = text.lastIndexOf(result);
      if (at >= 0 && !text.equals(reason)) {
        return text.substring(at + result.length());
      }
    }
    return text;
  }

  /** The sessions, sorted, and then the reads of the final state. */
  private Set<String> sessions() {
    Comparator<String> finalLast = Comparator.comparing(session -> session.equals("F"));
    Set<String> sessions = new TreeSet<>(finalLast.thenComparing(Comparator.naturalOrder()));
    steps.forEach(step -> sessions.add(step.session()));
    return sessions;
  }

  /** A page for a browser, without a script. */
  String html() {
    StringBuilder page = new StringBuilder("<!doctype html>\n<html lang=\"en\">\n<head>\n");
    page.append("<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")
        .append(" style-src 'unsafe-inline'\">\n<title>")
        .append(Xml.escape(title))
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style>\n</head>\n<body>\n<main>\n<h1>")
        .append(Xml.escape(title))
        .append("</h1>\n");
    facts.forEach(fact -> page.append("<p>").append(Xml.escape(fact)).append("</p>\n"));
    page.append("<div class=\"pair\">\n<section><h2>Expected</h2><pre>")
        .append(lines(expected))
        .append("</pre></section>\n<section><h2>Actual</h2><pre>")
        .append(lines(actual))
        .append("</pre></section>\n</div>\n<h2>Schema and rows</h2>\n<pre>")
        .append(lines(String.join("\n", setup)))
        .append("</pre>\n<h2>Schedule</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\"")
        .append(" aria-label=\"Schedule\">\n<table>\n<thead><tr>");
    sessions()
        .forEach(
            session ->
                page.append("<th scope=\"col\">")
                    .append(Xml.escape(session.equals("F") ? "final state" : session))
                    .append("</th>"));
    page.append("</tr></thead>\n<tbody>\n");
    for (Line step : steps) {
      page.append("<tr>");
      for (String session : sessions()) {
        page.append("<td>");
        if (session.equals(step.session())) {
          page.append("<div class=\"bar")
              .append(step.wrong() ? " wrong" : "")
              .append("\"><code>")
              .append(lines(step.sql()))
              .append("</code><span class=\"outcome\">")
              .append(lines(step.outcome()))
              .append("</span></div>");
        }
        page.append("</td>");
      }
      page.append("</tr>\n");
    }
    return page.append("</tbody>\n</table>\n</div>\n<h2>To see it again</h2>\n<pre>")
        .append(lines(replay))
        .append("</pre>\n</main>\n</body>\n</html>\n")
        .toString();
  }

  private static String lines(String text) {
    return Xml.escape(text).replace("&#10;", "\n");
  }

  /** Markdown, for a bug report. */
  String markdown() {
    StringBuilder text = new StringBuilder("# " + Markdown.line(title) + "\n\n");
    facts.forEach(fact -> text.append(Markdown.line(fact)).append("\n\n"));
    text.append("Expected:\n\n").append(block(expected)).append("\nActual:\n\n");
    text.append(block(actual)).append("\nSchema and rows:\n\n");
    text.append(block(String.join("\n", setup))).append("\nSchedule:\n\n");
    StringBuilder schedule = new StringBuilder();
    for (Line step : steps) {
      schedule.append(step.session()).append(": ").append(step.sql()).append(" -> ");
      schedule.append(step.outcome()).append(step.wrong() ? "   <== wrong" : "").append('\n');
    }
    text.append(block(schedule.toString())).append("\nTo see it again:\n\n");
    return text.append(block(replay)).toString();
  }

  private static String block(String text) {
    return Markdown.codeBlock("", Console.printable(text));
  }

  /** A failed test in JUnit's format, for build servers. */
  String junit() {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        + "<testsuite name=\"txwatch fuzz\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""
        + " time=\"0\">\n  <testcase name=\""
        + Xml.escape(title)
        + "\" classname=\"txwatch.fuzz\" time=\"0\">\n    <failure type=\"violation\" message=\""
        + Xml.escape("expected " + expected + ", but was " + actual)
        + "\">"
        + lines(markdown())
        + "</failure>\n  </testcase>\n</testsuite>\n";
  }
}
