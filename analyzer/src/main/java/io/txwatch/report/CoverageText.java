package io.txwatch.report;

import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.Shed;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Formats the coverage as text: how much was observed, what was not, and what can be done about
 * each reason.
 */
public final class CoverageText {

  private CoverageText() {}

  static String of(Coverage coverage, int width) {
    StringBuilder text = new StringBuilder();
    append(text, width, "coverage  ", List.of(seen(coverage)));
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
    Shed shed = coverage.shed();
    if (!shed.smallest().isAll()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "rows observed: %s now, %s at the least; nothing was observed of %s",
              shed.share(),
              shed.smallest(),
              plural(shed.transactions(), "transaction")));
    }
    long unresolvedWrites = coverage.statements() - coverage.instrumented() - statements(coverage);
    if (unresolvedWrites > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%,d writes whose rows the DBMS did not return; each is identified when its row is"
                  + " next read or written (on PostgreSQL, if no savepoint preceded it)",
              unresolvedWrites));
    }
    if (coverage.uncertain() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%,d uncertain accesses: returned by side reads, which may have read another"
                  + " snapshot; nothing is proven by them",
              coverage.uncertain()));
    }
    if (coverage.forbidden() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%,d possible anomalies: not reported, since the isolation level forbids them",
              coverage.forbidden()));
    }
    append(text, width, "not seen  ", lines);
    return text.toString();
  }

  /** What only rows connect, which is no part of the coverage: nothing about it is missing. */
  static String rowLevel(Coverage coverage, int width) {
    StringBuilder text = new StringBuilder();
    append(
        text,
        width,
        "row-level ",
        List.of(
            String.format(
                Locale.ROOT,
                "%,d pairs of accesses to different columns of a row: no dependency; granularity"
                    + " row counts them",
                coverage.rowLevel())));
    return text.toString();
  }

  private static void append(StringBuilder text, int width, String label, List<String> lines) {
    String before = label;
    for (String line : lines) {
      for (String part : TerminalText.wrap(line, width - label.length())) {
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
  public static String remedy(GapReason reason) {
    return switch (reason) {
      case TOO_LARGE ->
          "statements on tables that are too large for version sets; their predicates are not"
              + " judged: raise txwatch.version-set-rows";
      case NO_VERSION_SET ->
          "version sets not read, since reading them would take locks, fix a snapshot, or take too"
              + " long (tables of thousands of rows); predicates of these statements are not"
              + " judged";
      case SHAPE ->
          "statements of a shape that is passed through unchanged (DISTINCT, GROUP BY, UNION,"
              + " subquery, ...); rows that only such statements access are not judged";
      case NOT_UNDERSTOOD ->
          "SQL that the scanner and the parser read differently, passed through unchanged; please"
              + " report it";
      case NOT_PREPARED ->
          "tables without the auxiliary columns: run `txwatch prepare --url URL`, or set"
              + " txwatch.prepare=auto";
      case NO_RIGHTS ->
          "tables whose auxiliary columns this user may not use: grant SELECT, INSERT and UPDATE on"
              + " them";
      case NOT_A_BASE_TABLE ->
          "views, foreign or system tables, which carry no auxiliary columns; nothing to do";
      case LOOKUP_FAILED ->
          "catalog lookups that failed or timed out; they are retried, and the first cause was"
              + " logged when it happened";
      case OPAQUE ->
          "calls, COPY, scripts: their effects are not observed; plain statements would be";
      case BYPASS ->
          "work done through an unwrapped vendor object: use the java.sql interfaces where it"
              + " matters";
      case OVERFLOW ->
          "events dropped because the queue was full: raise txwatch.queue, or record with"
              + " txwatch.history and check later";
      case FAULT -> "a fault of txwatch; the statements were executed unchanged; please report it";
      case TORN_RECORD ->
          "the history file was truncated or damaged there; what precedes it is intact";
      case CUT_OFF ->
          "services that disconnected and did not come back; what they did afterwards, and how"
              + " their open transactions ended, is unknown";
      case FORGOTTEN ->
          "transactions discarded because the analyzer's share of the heap was full, usually one"
              + " that stays open and idle; anomalies with them are missed: end such transactions,"
              + " or increase the heap";
      case SHED ->
          "statements on other rows than those that are observed while more events arise than can"
              + " be processed; of the observed rows everything is known, and what is reported is"
              + " certain";
    };
  }
}
