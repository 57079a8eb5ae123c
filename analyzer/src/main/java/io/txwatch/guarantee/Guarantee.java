package io.txwatch.guarantee;

import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a DBMS promises at one level: the phenomena that its documentation states do not occur.
 * Where the documentation is silent or vague there is no promise.
 *
 * @param prevents what does not occur
 * @param plainReads what does not occur as long as all reads are plain SELECTs
 * @param statementSnapshot whether all rows of one plain SELECT are of one point in time
 * @param source where the documentation states this
 */
public record Guarantee(
    Set<Phenomenon> prevents,
    Set<Phenomenon> plainReads,
    boolean statementSnapshot,
    String source) {

  /** No level prevents stale writes: each has a serial order. */
  private static final Set<Phenomenon> ALL =
      EnumSet.complementOf(EnumSet.of(Phenomenon.STALE_WRITE));

  private static final Set<Phenomenon> G1 =
      EnumSet.of(
          Phenomenon.DIRTY_WRITE,
          Phenomenon.ABORTED_READ,
          Phenomenon.INTERMEDIATE_READ,
          Phenomenon.CIRCULAR_INFORMATION_FLOW,
          Phenomenon.INTERNAL);
  private static final Set<Phenomenon> READS =
      EnumSet.of(
          Phenomenon.NON_REPEATABLE_READ,
          Phenomenon.PHANTOM,
          Phenomenon.READ_SKEW,
          Phenomenon.FRACTURED_READ);
  private static final Set<Phenomenon> NOT_IN_SNAPSHOT =
      EnumSet.complementOf(
          EnumSet.of(
              Phenomenon.WRITE_SKEW, Phenomenon.G2_ITEM, Phenomenon.G2, Phenomenon.STALE_WRITE));

  /** Own writes are visible and writes are not interleaved; nothing else. */
  static Guarantee dirty(String source) {
    return new Guarantee(
        EnumSet.of(Phenomenon.DIRTY_WRITE, Phenomenon.INTERNAL), Set.of(), false, source);
  }

  /** Only committed data is read, as of each read. */
  static Guarantee committed(String source) {
    return new Guarantee(G1, Set.of(), false, source);
  }

  /** Only committed data is read, and each plain SELECT reads from a snapshot of its own. */
  static Guarantee committedByStatement(String source) {
    return new Guarantee(G1, Set.of(), true, source);
  }

  /** Plain SELECTs of one row return one version; no promise covers several rows, or writes. */
  static Guarantee repeatable(String source) {
    return new Guarantee(G1, EnumSet.of(Phenomenon.NON_REPEATABLE_READ), false, source);
  }

  /** Plain SELECTs read from one snapshot; writes and locking reads use the newest versions. */
  static Guarantee consistentReads(String source) {
    return new Guarantee(G1, READS, true, source);
  }

  /** Snapshot isolation: one snapshot, and the first writer of a row wins. */
  static Guarantee snapshot(String source) {
    return new Guarantee(NOT_IN_SNAPSHOT, Set.of(), true, source);
  }

  /** Reads from one snapshot; no promise covers concurrent writers. */
  static Guarantee snapshotReads(String source) {
    Set<Phenomenon> prevents = EnumSet.copyOf(G1);
    prevents.addAll(READS);
    return new Guarantee(prevents, Set.of(), true, source);
  }

  /** Serializability: nothing that a serial execution could not produce. */
  static Guarantee serializable(String source) {
    return new Guarantee(ALL, Set.of(), true, source);
  }

  /** No promise is known. */
  static Guarantee none(String source) {
    return new Guarantee(Set.of(), Set.of(), false, source);
  }

  /** The guarantee of a DBMS at a level, by its documentation, version and settings. */
  public static Guarantee of(Database database, IsolationLevel level) {
    return Profile.of(database).at(level, database);
  }

  /**
   * True if the phenomenon does not occur.
   *
   * @param readsPlainly true if all of its reads are plain SELECTs
   */
  public boolean rulesOut(Phenomenon phenomenon, boolean readsPlainly) {
    return prevents.contains(phenomenon) || readsPlainly && plainReads.contains(phenomenon);
  }

  /** Whether a finding breaks this promise. */
  public boolean isBrokenBy(Finding finding) {
    return prevents.contains(finding.judgedAs())
        || finding.plainReadsOnly()
            && (plainReads.contains(finding.phenomenon())
                || statementSnapshot
                    && READS.contains(finding.phenomenon())
                    && finding.withinOneStatement());
  }
}
