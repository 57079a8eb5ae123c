package io.txwatch.report;

import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.GapContext;
import io.txwatch.coverage.OperationWaits;
import io.txwatch.coverage.PossibleDeadlock;
import io.txwatch.coverage.Shed;
import io.txwatch.history.CallSite;
import io.txwatch.history.GapReason;
import io.txwatch.version.Resolution;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Formats the coverage as text: how much was observed, what was not, and what can be done about
 * each reason.
 */
public final class CoverageText {

  private static final Set<GapReason> MISSING =
      EnumSet.of(
          GapReason.OVERFLOW,
          GapReason.TORN_RECORD,
          GapReason.CUT_OFF,
          GapReason.FORGOTTEN,
          GapReason.SHED);

  /** More pairs of operations are only counted. */
  private static final int MAX_WAITS = 10;

  private CoverageText() {}

  static String of(Coverage coverage, int width) {
    StringBuilder text = new StringBuilder();
    List<String> observed = new ArrayList<>();
    observed.add(seen(coverage));
    if (coverage.resolution().rows() > 0) {
      observed.add(resolved(coverage.resolution()));
    }
    append(text, width, "coverage  ", observed);
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
              Locale.ROOT,
              "%,d %s: %s",
              gap.getValue(),
              gap.getKey(),
              remedy(gap.getKey(), coverage.context())));
    }
    Shed shed = coverage.shed();
    if (!shed.smallest().isAll()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "rows observed: %s now, %s at the least; nothing was observed of %s",
              shed.share(),
              shed.smallest(),
              Counted.of(shed.transactions(), "transaction")));
    }
    long unresolvedWrites = coverage.statements() - coverage.instrumented() - statements(coverage);
    if (unresolvedWrites > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              coverage.context().byValue()
                  ? "%s whose rows are not known: rolled back, or neither stated by the statement nor"
                      + " recorded by the DBMS"
                  : "%s whose rows the DBMS did not return; each is identified when its row is next"
                      + " read or written, as far as the DBMS names the writer then",
              Counted.of(unresolvedWrites, "write")));
    }
    if (coverage.uncertain() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: returned by side reads, which may have read another"
                  + " snapshot; nothing is proven by them",
              Counted.of(coverage.uncertain(), "uncertain access", "uncertain accesses")));
    }
    if (coverage.forbidden() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: not reported, since the isolation level forbids them",
              Counted.of(coverage.forbidden(), "possible anomaly", "possible anomalies")));
    }
    addUnfound(coverage.context(), lines);
    append(text, width, "not seen  ", lines);
    append(text, width, "waits     ", waits(coverage.waits()));
    append(text, width, "possible  ", possibleDeadlocks(coverage.possibleDeadlocks()));
    return text.toString();
  }

  /** Which operations can deadlock, though they did not. */
  private static List<String> possibleDeadlocks(List<PossibleDeadlock> possible) {
    List<String> lines = new ArrayList<>();
    for (PossibleDeadlock each : possible) {
      lines.add(
          "deadlock, though none happened: "
              + TerminalText.escape(orders(each.one(), each.other()))
              + "; seen "
              + Counted.of(each.count(), "time"));
    }
    if (!possible.isEmpty()) {
      lines.add(PossibleDeadlock.ADVICE);
    }
    return lines;
  }

  private static String orders(PossibleDeadlock.Side one, PossibleDeadlock.Side other) {
    boolean isOneTable = one.first().table().equals(one.then().table());
    return one.operation()
        + " locks "
        + row(one.first(), "a")
        + place(one.first())
        + " and then "
        + row(one.then(), isOneTable ? "another" : "a")
        + place(one.then())
        + "; "
        + other.operation()
        + " locks the same rows in the opposite order,"
        + place(other.first())
        + " and then"
        + place(other.then());
  }

  private static String row(PossibleDeadlock.Lock lock, String article) {
    return lock.row().isEmpty()
        ? article + " row of " + lock.table()
        : lock.table() + " " + lock.row();
  }

  private static String place(PossibleDeadlock.Lock lock) {
    return " at "
        + (lock.callSite().isEmpty() ? "an unknown line" : CallSite.shown(lock.callSite()));
  }

  /** Who waited for whom for locks. */
  private static List<String> waits(OperationWaits waits) {
    List<String> lines = new ArrayList<>();
    if (waits.count() > 0) {
      lines.add(
          Counted.of(waits.count(), "wait")
              + " for locks, "
              + duration(waits.micros())
              + " in total, as far as samples show");
    }
    for (OperationWaits.Pair pair :
        waits.pairs().subList(0, Math.min(MAX_WAITS, waits.pairs().size()))) {
      lines.add(
          TerminalText.escape(pair.waiting())
              + " for "
              + TerminalText.escape(pair.holding())
              + ": "
              + Counted.of(pair.count(), "time")
              + ", "
              + duration(pair.micros())
              + (pair.count() == 1 ? "" : ", the longest " + duration(pair.longestMicros()))
              + (pair.longestAt().isEmpty() ? "" : " at " + TerminalText.escape(pair.longestAt())));
    }
    if (waits.pairs().size() > MAX_WAITS) {
      lines.add(waits.pairs().size() - MAX_WAITS + " more pairs of operations");
    }
    if (waits.repeated() > 0) {
      lines.add(
          Counted.of(waits.repeated(), "transaction")
              + " repeated after a deadlock or a failure of serialization");
    }
    return lines;
  }

  /** A time in milliseconds, or in seconds. */
  static String duration(long micros) {
    return micros < 1_000_000
        ? String.format(Locale.ROOT, "%,d ms", micros / 1000)
        : String.format(Locale.ROOT, "%,.1f s", micros / 1e6);
  }

  /** Adds what of the rows that statements did not find is not known. */
  private static void addUnfound(GapContext context, List<String> lines) {
    if (context.byValue()) {
      if (context.phantomsUnseen() || context.emptyDeletes()) {
        lines.add(
            "rows that a query or a DELETE did not find, except where its condition could be computed"
                + " from the rows that the DBMS recorded");
      }
      return;
    }
    if (context.phantomsUnseen()) {
      lines.add(
          "phantoms, write skew through rows that a query did not find, and INSERTs after a check that"
              + " found nothing: no version set was read; txwatch.instrument=predicates reads them");
    }
    if (context.emptyDeletes()) {
      lines.add(
          "what a DELETE skipped or missed that had waited for another session and found no row: no"
              + " version set was read; txwatch.instrument=predicates reads them");
    }
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
                "%s of accesses to different columns of a row: no dependency; granularity row"
                    + " counts them",
                Counted.of(coverage.rowLevel(), "pair"))));
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
    if (coverage.executed() == 0) {
      return "no statement was seen: is the application's connection behind jdbc:txwatch: or the"
          + " agent?";
    }
    String missing = missing(coverage);
    return String.format(
        Locale.ROOT,
        "%s in %s (%,d committed); rows seen for %,d of %s%s (%s)%s",
        Counted.of(coverage.transactions(), "transaction"),
        Counted.of(coverage.sessions(), "session"),
        coverage.committed(),
        coverage.instrumented(),
        coverage.executed() > coverage.statements() ? "about " : "",
        Counted.of(coverage.executed(), "statement"),
        percent(coverage.instrumented(), coverage.executed()),
        missing.isEmpty() ? "" : "; missing: " + missing);
  }

  /** What became of the rows that were read by value. */
  private static String resolved(Resolution resolution) {
    Map<String, Long> others = new LinkedHashMap<>();
    others.put("one of a run of versions with the same values", resolution.run());
    others.put("one of several versions", resolution.several());
    others.put("no recorded version fits", resolution.none());
    others.put("not recorded in time", resolution.unrecorded());
    others.put("read without their key", resolution.withoutKey());
    String rest =
        others.entrySet().stream()
            .filter(other -> other.getValue() > 0)
            .map(other -> String.format(Locale.ROOT, "; %,d %s", other.getValue(), other.getKey()))
            .collect(Collectors.joining());
    return String.format(
        Locale.ROOT,
        "%s read by value, the version is known of %,d (%s)%s",
        Counted.of(resolution.rows(), "row"),
        resolution.unique(),
        percent(resolution.unique(), resolution.rows()),
        rest);
  }

  /** What is missing in the history, and so in every figure: its reasons with their counts. */
  private static String missing(Coverage coverage) {
    return MISSING.stream()
        .filter(reason -> coverage.gaps().getOrDefault(reason, 0L) > 0)
        .map(reason -> String.format(Locale.ROOT, "%,d %s", coverage.gaps().get(reason), reason))
        .collect(Collectors.joining(", "));
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

  /** What the reason means here, and what a user can do about it. */
  private static String remedy(GapReason reason, GapContext context) {
    return switch (reason) {
      case NOT_UNDERSTOOD -> notUnderstood(context.notUnderstood());
      case SHAPE -> shape(context.shapes());
      default -> remedy(reason);
    };
  }

  private static String notUnderstood(String example) {
    String meaning =
        "SQL that the scanner and the parser read differently, passed through unchanged; please"
            + " report it";
    return example.isEmpty()
        ? meaning
        : meaning + ": " + TerminalText.escape(example.strip().replaceAll("\\s+", " "));
  }

  private static String shape(List<String> reasons) {
    String what =
        reasons.isEmpty()
            ? "statements of a shape that is passed through unchanged (DISTINCT, GROUP BY, UNION,"
                + " subquery, ...)"
            : "statements that were passed through unchanged or seen in part ("
                + TerminalText.escape(String.join("; ", reasons))
                + ")";
    return what + "; rows that only such statements access are not judged";
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
      case SHAPE -> shape(List.of());
      case NOT_UNDERSTOOD -> notUnderstood("");
      case NOT_PREPARED ->
          "tables without the auxiliary columns: run `txwatch prepare --url URL`, or set"
              + " txwatch.prepare=auto";
      case NO_RIGHTS ->
          "tables that this user may not read as a whole, or whose auxiliary columns it may not"
              + " use: grant SELECT on the table, or SELECT, INSERT and UPDATE on these columns";
      case NOT_A_BASE_TABLE ->
          "views, foreign or system tables, which carry no auxiliary columns; nothing to do";
      case LOOKUP_FAILED ->
          "tables not looked up yet: the lookup failed (the cause is on standard error), or would"
              + " have been noticed by the application's transaction at that moment; it is made as"
              + " soon as a session allows it";
      case OPAQUE ->
          "calls, bulk copies, scripts: their effects are not observed; plain statements would be";
      case BYPASS ->
          "work done through an unwrapped vendor object: use the java.sql interfaces where it"
              + " matters";
      case OVERFLOW ->
          "events that are lost, in the report and in a history alike, because the queue, its link"
              + " or its file was full: raise txwatch.queue (txwatch.buffer with an analyzer of its"
              + " own), give the process more processors, or watch less load";
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
      case NOT_RECORDED ->
          "changes that were not seen in the binary log or by the triggers, such as those of the"
              + " schema, of tables that cannot be watched, or of statements that are not logged"
              + " as rows (the history has the cause of each); which versions of rows were read"
              + " before and after them cannot be compared, so anomalies across them are missed";
    };
  }
}
