package io.txwatch.coverage;

import io.txwatch.history.GapReason;
import io.txwatch.version.Resolution;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How much of the history was observed: a figure of every report.
 *
 * @param sessions sessions opened
 * @param transactions transactions that ended, with any outcome
 * @param committed transactions that committed
 * @param statements statements in the history; {@link #executed()} counts the others as well
 * @param instrumented statements whose rows were observed, or that access no rows
 * @param rowsRead row versions read
 * @param rowsWritten row versions written, as far as observed
 * @param uncertain row versions and version sets that a side read returned, which may have read
 *     another snapshot
 * @param forbidden possible anomalies that were not reported, because the level forbids them
 * @param rowLevel pairs of accesses to different columns of a row, which do not depend on each
 *     other unless rows are the items
 * @param gaps what was not observed, by reason
 * @param shed what was not observed because of overload
 * @param context what the advice on the gaps depends on
 * @param resolution what became of the rows that were read by value
 * @param waits who waited for whom, which is no part of what was observed or not
 * @param possibleDeadlocks operations that can deadlock, though they did not; neither is it
 */
public record Coverage(
    long sessions,
    long transactions,
    long committed,
    long statements,
    long instrumented,
    long rowsRead,
    long rowsWritten,
    long uncertain,
    long forbidden,
    long rowLevel,
    Map<GapReason, Long> gaps,
    Shed shed,
    GapContext context,
    Resolution resolution,
    OperationWaits waits,
    List<PossibleDeadlock> possibleDeadlocks) {

  /** The gaps in which events are known to be missing. */
  public static final List<GapReason> DROPPED =
      List.of(GapReason.OVERFLOW, GapReason.TORN_RECORD, GapReason.CUT_OFF, GapReason.FAULT);

  public static final Coverage NONE = new Coverage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of());

  /** A coverage without overload. */
  public Coverage(
      long sessions,
      long transactions,
      long committed,
      long statements,
      long instrumented,
      long rowsRead,
      long rowsWritten,
      long uncertain,
      long forbidden,
      long rowLevel,
      Map<GapReason, Long> gaps) {
    this(
        sessions,
        transactions,
        committed,
        statements,
        instrumented,
        rowsRead,
        rowsWritten,
        uncertain,
        forbidden,
        rowLevel,
        gaps,
        Shed.NOTHING);
  }

  /** A coverage of whose gaps nothing more is known. */
  public Coverage(
      long sessions,
      long transactions,
      long committed,
      long statements,
      long instrumented,
      long rowsRead,
      long rowsWritten,
      long uncertain,
      long forbidden,
      long rowLevel,
      Map<GapReason, Long> gaps,
      Shed shed) {
    this(
        sessions,
        transactions,
        committed,
        statements,
        instrumented,
        rowsRead,
        rowsWritten,
        uncertain,
        forbidden,
        rowLevel,
        gaps,
        shed,
        GapContext.UNKNOWN,
        Resolution.NONE,
        OperationWaits.NONE,
        List.of());
  }

  public Coverage {
    gaps = Map.copyOf(gaps);
    possibleDeadlocks = List.copyOf(possibleDeadlocks);
  }

  /**
   * All statements that were executed: those of the history, and those that are missing in it
   * because they were shed or dropped. About, since other events may have been dropped as well, and
   * some statements were shed in part.
   */
  public long executed() {
    return statements
        + gaps.getOrDefault(GapReason.SHED, 0L)
        + gaps.getOrDefault(GapReason.OVERFLOW, 0L);
  }

  /** The number of events known to be missing. */
  public long dropped() {
    return DROPPED.stream().mapToLong(reason -> gaps.getOrDefault(reason, 0L)).sum();
  }

  /** The sum of this and another coverage. */
  public Coverage plus(Coverage other) {
    Map<GapReason, Long> sums = new EnumMap<>(GapReason.class);
    sums.putAll(gaps);
    other.gaps.forEach((reason, count) -> sums.merge(reason, count, Long::sum));
    return new Coverage(
        sessions + other.sessions,
        transactions + other.transactions,
        committed + other.committed,
        statements + other.statements,
        instrumented + other.instrumented,
        rowsRead + other.rowsRead,
        rowsWritten + other.rowsWritten,
        uncertain + other.uncertain,
        forbidden + other.forbidden,
        rowLevel + other.rowLevel,
        sums,
        shed.plus(other.shed),
        context.plus(other.context),
        resolution.plus(other.resolution),
        waits.plus(other.waits),
        PossibleDeadlock.sum(
            Stream.concat(possibleDeadlocks.stream(), other.possibleDeadlocks.stream()).toList()));
  }

  /** The same with the waits. */
  public Coverage with(OperationWaits newWaits) {
    return with(newWaits, possibleDeadlocks);
  }

  /** The same with the possible deadlocks. */
  public Coverage with(List<PossibleDeadlock> newPossibleDeadlocks) {
    return with(waits, newPossibleDeadlocks);
  }

  private Coverage with(OperationWaits newWaits, List<PossibleDeadlock> newPossibleDeadlocks) {
    return new Coverage(
        sessions,
        transactions,
        committed,
        statements,
        instrumented,
        rowsRead,
        rowsWritten,
        uncertain,
        forbidden,
        rowLevel,
        gaps,
        shed,
        context,
        resolution,
        newWaits,
        newPossibleDeadlocks);
  }
}
