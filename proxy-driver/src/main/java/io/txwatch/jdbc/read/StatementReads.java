package io.txwatch.jdbc.read;

import io.txwatch.capture.Observation;
import io.txwatch.capture.SnapshotRules;
import io.txwatch.history.Access;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.PlannedReads;
import io.txwatch.jdbc.session.ConnectionState;
import io.txwatch.plan.Carried;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The life of all that is read for one execution besides its own result: side reads, version sets,
 * and what its rows carry.
 *
 * <p>Each read is planned with the statement, then decided: sent before the statement, after it,
 * put off, carried by the statement's own rows, or not sent. What it returns is noted in the
 * statement's observation; what it does not return is noted as missing. The observation ends when
 * the statement has ended and no read is put off any more.
 */
public final class StatementReads {

  private final ConnectionState connection;
  private final CachedPlan cached;
  private final Observation observation;

  /** The id of the first row that the statement gives an id; 0 if it gives none. */
  private final long firstRow;

  /** What was decided of each; null before that, and once those after the statement were sent. */
  private SnapshotRules.SideReadTiming @Nullable [] decided;

  /** Rows that matched the predicate of a DELETE just before it. */
  private final List<RowAccess> matching = new ArrayList<>(0);

  private Parameters parameters = Parameters.NONE;
  private boolean returnWrites;
  private boolean returnedAll = true;
  private int putOff;
  private boolean ended;
  private boolean writesSeen;
  private int timeout;
  private boolean inBatch;
  private boolean carriedReturned;
  private boolean contended;

  private StatementReads(
      ConnectionState connection, CachedPlan cached, Observation observation, long firstRow) {
    this.connection = connection;
    this.cached = cached;
    this.observation = observation;
    this.firstRow = firstRow;
  }

  /** Those of a statement that is about to be sent; null if none are planned. */
  public static @Nullable StatementReads of(
      ConnectionState connection, CachedPlan cached, Observation observation, long firstRow) {
    return cached.sideReads() == null && !cached.carries()
        ? null
        : new StatementReads(connection, cached, observation, firstRow);
  }

  /** The plan of the statement. */
  CachedPlan cached() {
    return cached;
  }

  /** True if the statement is a transaction of its own. */
  boolean isAlone() {
    return observation.isAlone();
  }

  /** The statement's transaction. */
  long transaction() {
    return observation.transaction();
  }

  /** True if the transaction has ended. */
  boolean hasEnded() {
    return observation.hasEnded();
  }

  /** The statement's writer token. */
  String token() {
    return observation.token();
  }

  // ---------------------------------------------------------------- what is decided

  /** The application's time limit, in seconds, which holds for the reads beside it too. */
  public int timeout() {
    return timeout;
  }

  public void timeout(int seconds) {
    this.timeout = seconds;
  }

  /** True if others of its batch may have written over what it wrote, before that is read. */
  public boolean standsInBatch() {
    return inBatch;
  }

  public void standsInBatch(boolean withOthers) {
    this.inBatch = withOthers;
  }

  /** True if another transaction has updated its row since this one had read it. */
  boolean isContended() {
    return contended;
  }

  public void contended(boolean byAnother) {
    this.contended = byAnother;
  }

  /** What becomes of each was decided, and those before the statement were sent. */
  void decided(SnapshotRules.SideReadTiming[] sendings, Parameters values) {
    this.decided = sendings;
    this.parameters = values;
  }

  /** What was decided, for those after the statement; null if that was decided before. */
  public SnapshotRules.SideReadTiming @Nullable [] takeDecided() {
    SnapshotRules.SideReadTiming[] taken = decided;
    decided = null;
    return taken;
  }

  /** The statement's parameters. */
  Parameters parameters() {
    return parameters;
  }

  /** One that returns written rows was executed; {@code all} if it returned all of them. */
  void returned(boolean all) {
    returnedAll &= all;
  }

  /** A row of the result has returned what all of them carry. */
  public void carriedReturned() {
    carriedReturned = true;
  }

  /** True once a row of the result has returned what all of them carry. */
  public boolean hasReturnedCarried() {
    return carriedReturned;
  }

  // ---------------------------------------------------------------- what they show

  /** What was done to a row that came back with {@code writers}. */
  Access access(long row, String writers) {
    return cached.access(row, writers, observation.token(), firstRow);
  }

  /** Notes a row that a side read has returned. */
  void row(Access access, String table, long row, String writers, boolean certain) {
    observation.sideReadRow(access, table, row, writers, certain);
  }

  /**
   * Notes a row that matched the predicate of a DELETE just before it, in the version that {@code
   * writers} describes: the DELETE skipped it if it does not return it.
   */
  void skippedUnlessDeleted(String table, long row, String writers) {
    WriterList list = WriterList.ofColumn(writers);
    matching.add(new RowAccess(Access.SKIPPED_BY_DELETE, table, row, list));
  }

  /** Notes a version set. */
  void versionSet(VersionSet set) {
    PlannedReads reads = cached.sideReads();
    observation.versionSet(set, reads != null && reads.isLimited);
  }

  /** One was not carried out. */
  void missing(PlannedReads.One one, String why) {
    if (one.isVersionSet()) {
      connection.gap(GapReason.NO_VERSION_SET, one.table());
    } else if (!one.read.purpose().isEvidenceOfDelete()) {
      missing("a read beside it " + why);
    }
  }

  private void missing(String why) {
    observation.sideReadFailed(GapReason.SHAPE, why);
  }

  /** One would return, or returned, more rows than are wanted. */
  void tooLarge(PlannedReads.One one) {
    if (!one.read.purpose().isEvidenceOfDelete()) {
      observation.sideReadFailed(GapReason.TOO_LARGE, one.table());
    }
  }

  // ---------------------------------------------------------------- the end

  /** Some of them return the written rows, and those that were not put off are done. */
  void returnWrites() {
    returnWrites |= cached.plan().passThrough().isEmpty();
  }

  /** True if a read of what the statement wrote is planned. */
  boolean returnsWrites() {
    PlannedReads planned = cached.sideReads();
    return planned != null && planned.returnWrites;
  }

  private boolean haveReturnedAllWrites() {
    return returnWrites && returnedAll;
  }

  /** One is put off: the observation stays open until it is done. */
  void putOff() {
    putOff++;
  }

  /**
   * One that was put off is done: the observation ends if the statement has, and it was the last.
   */
  void release() {
    putOff--;
    if (putOff == 0 && ended) {
      observation.succeeded(writesSeen || haveReturnedAllWrites());
    }
  }

  /**
   * The statement has ended: the observation ends unless a read is put off.
   *
   * @param seen true if every row that it wrote was noted
   */
  public void ended(boolean seen) {
    if (!carriedReturned
        && cached.plan().carried().reads().stream().anyMatch(Carried.Read::mayBeLost)) {
      missing("no row came back that shows what else it read");
    }
    if (seen && !matching.isEmpty()) {
      observation.skipped(matching);
    }
    if (putOff == 0) {
      observation.succeeded(seen || haveReturnedAllWrites());
    } else {
      ended = true;
      writesSeen = seen;
    }
  }
}
