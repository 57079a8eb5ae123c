package io.txwatch.report;

import io.txwatch.coverage.Coverage;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Coverage for people: how much was observed, what was not, and what can be done about each reason.
 */
final class CoverageText {

  private CoverageText() {}

  static String of(Coverage coverage) {
    StringBuilder text = new StringBuilder();
    append(text, "coverage  ", List.of(seen(coverage)));
    List<Map.Entry<GapReason, Long>> gaps =
        coverage.gaps().entrySet().stream()
            .filter(gap -> gap.getValue() > 0)
            .sorted(
                Comparator.comparing((Map.Entry<GapReason, Long> gap) -> -gap.getValue())
                    .thenComparing(Map.Entry::getKey))
            .toList();
    List<String> lines = new ArrayList<>();
    for (Map.Entry<GapReason, Long> gap : gaps) {
      lines.add(
          String.format(
              Locale.ROOT, "%,d %s: %s", gap.getValue(), gap.getKey(), remedy(gap.getKey())));
    }
    long unresolvedWrites = coverage.statements() - coverage.instrumented() - statements(coverage);
    if (unresolvedWrites > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%,d writes: the DBMS did not say of which rows; each is known from its next read on",
              unresolvedWrites));
    }
    if (coverage.uncertain() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%,d uncertain accesses: read beside the statement, in what may have been another"
                  + " snapshot; nothing is proven by them",
              coverage.uncertain()));
    }
    if (coverage.forbidden() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%,d possible anomalies: not told, since the isolation level forbids them",
              coverage.forbidden()));
    }
    append(text, "not seen  ", lines);
    return text.toString();
  }

  private static void append(StringBuilder text, String label, List<String> lines) {
    String before = label;
    for (String line : lines) {
      for (String part : TerminalText.wrap(line, TextReport.WIDTH - label.length())) {
        text.append(before).append(part).append('\n');
        before = " ".repeat(label.length());
      }
    }
  }

  private static String seen(Coverage coverage) {
    if (coverage.statements() == 0) {
      return "no statement was seen: is the application's connection behind jdbc:txwatch: or the"
          + " agent?";
    }
    return String.format(
        Locale.ROOT,
        "%s in %s (%,d committed); rows seen for %,d of %s (%s)",
        plural(coverage.transactions(), "transaction"),
        plural(coverage.sessions(), "session"),
        coverage.committed(),
        coverage.instrumented(),
        plural(coverage.statements(), "statement"),
        percent(coverage.instrumented(), coverage.statements()));
  }

  private static String plural(long count, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
  }

  /** Rounded down: only everything is 100 %. */
  private static String percent(long part, long whole) {
    return Math.floorDiv(part * 1000, whole) / 10.0 + " %";
  }

  /** The gaps that are statements executed without being observed. */
  private static long statements(Coverage coverage) {
    return coverage.gaps().entrySet().stream()
        .filter(gap -> gap.getKey().isOfStatement() && gap.getKey() != GapReason.TOO_LARGE)
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** What the reason means, and what a user can do about it. */
  private static String remedy(GapReason reason) {
    return switch (reason) {
      case TOO_LARGE ->
          "statements on tables too large for their version sets, of whose predicates nothing is"
              + " known: raise txwatch.version-set-rows";
      case NO_VERSION_SET ->
          "version sets not read where reading them would take locks, fix a snapshot, or take too much"
              + " time (tables of thousands of rows); predicates of those statements are not judged";
      case SHAPE ->
          "a shape that is passed through as it is (DISTINCT, GROUP BY, UNION, subquery, ...);"
              + " rows that only such statements touch are not judged";
      case NOT_UNDERSTOOD ->
          "SQL that the scanner and the parser do not agree on, sent as it was; please report it";
      case NOT_PREPARED ->
          "tables without the auxiliary columns: run `txwatch prepare --url URL`, or set"
              + " txwatch.prepare=auto";
      case NO_RIGHTS ->
          "tables whose auxiliary columns this user may not use: grant SELECT, INSERT and UPDATE on"
              + " them";
      case NOT_A_BASE_TABLE ->
          "views, foreign or system tables, which carry no auxiliary columns; nothing to do";
      case LOOKUP_FAILED ->
          "tables that the DBMS was asked about in vain: a look-up failed or took too long, and was"
              + " tried again soon; the first cause was told when it happened";
      case OPAQUE ->
          "calls, COPY, scripts: what they do is out of sight, and may be moved into plain"
              + " statements";
      case BYPASS ->
          "work done through an unwrapped vendor object: use the java.sql interface where it"
              + " matters";
      case OVERFLOW ->
          "events dropped because the queue was full: raise txwatch.queue, or record with"
              + " txwatch.history and check later";
      case FAULT -> "a fault of txwatch; the statements went on as they were; please report it";
      case TORN_RECORD ->
          "the history file was cut short or damaged there; what stands before it is whole";
      case CUT_OFF ->
          "links to services that broke and did not come back; what these did afterwards, and how"
              + " their open transactions ended, is not known";
      case FORGOTTEN ->
          "transactions given up because the analyzer's share of the heap was full, most often one that"
              + " stays open and does nothing; anomalies that they are part of are missed: end them, or"
              + " give it more heap";
    };
  }
}
