package io.txwatch.version;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowChange;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the DBMS recorded in one database: the versions of each row, and who made them. */
final class RecordedRows {

  /** The node in the ids of writers that are not watched. */
  private static final long UNWATCHED_NODE = 0xFFFF_FFFEL << Integer.SIZE;

  /** How much clocks of two processes may differ. */
  private static final long SKEW_NANOS = 100_000_000L;

  private static final int MAX_PENDING = 1 << 12;
  private static final int MAX_NAMES = 1 << 12;

  private final UnwatchedIds ids;
  private final WatchedConnections connections;
  private final int maxVersions;
  private final Map<HashedKey, RowChain> rows = new LinkedHashMap<>(16, 0.75f, true);
  private int versions;

  /** What reports call rows, by their keys; those that were named last. */
  private final Map<HashedKey, Event.RowNamed> names = new LinkedHashMap<>();

  private final Consumer<Event.RowNamed> named;

  /** Recorded transactions of which it is not decided whose they are, in order. */
  private final ArrayDeque<RecordedTransaction> pending = new ArrayDeque<>();

  final UnrecordedTransactions unrecorded = new UnrecordedTransactions();

  /** Watched transactions that have not passed, in the order in which they began. */
  final Set<TimedTransaction> open = new LinkedHashSet<>();

  /** How watched transactions chose rows by conditions. */
  final ChoiceResolver choices;

  /** What a row is at first: complete until something was lost or dropped. */
  private WriterList base = WriterList.INITIAL;

  /** Whether there is such a record at all. */
  boolean exists;

  /** Up to when it was read. */
  long through = Long.MIN_VALUE;

  /** The writes that statements state; null unless no record of changes is read. */
  @Nullable StatedWrites stated;

  private long node = -1;
  private long skew;

  /** Counts the ids of writers that are not watched. */
  static final class UnwatchedIds {
    private long last;

    long next() {
      return UNWATCHED_NODE | (++last & 0xFFFF_FFFFL);
    }
  }

  /**
   * A record of which nothing is known yet.
   *
   * @param named receives the names of rows that get other ids
   */
  RecordedRows(
      UnwatchedIds ids,
      WatchedConnections connections,
      int maxVersions,
      Consumer<Event.RowNamed> named) {
    this.named = named;
    this.ids = ids;
    this.connections = connections;
    this.maxVersions = maxVersions;
    this.choices = new ChoiceResolver(maxVersions / 4);
  }

  /** A session of it: clocks of several processes may differ. */
  void joined(long session) {
    long of = session >>> Integer.SIZE;
    if (node >= 0 && node != of) {
      skew = SKEW_NANOS;
    }
    node = of;
  }

  long skew() {
    return skew;
  }

  boolean wasReadThrough(long time) {
    return through >= Window.plus(time, skew);
  }

  /**
   * Adds a recorded transaction.
   *
   * @param needed reads that were sent earlier need not be resolved any more
   */
  void changed(Event.Changed event, long needed) {
    exists = true;
    RecordedTransaction recorded =
        new RecordedTransaction(
            event.connection(),
            event.received(),
            event.micros(),
            through,
            event.changes(),
            ids.next());
    for (TimedTransaction transaction : open) {
      if ((recorded.connection == 0 || transaction.connection == recorded.connection)
          && mayHaveWrittenUnknown(transaction, recorded)) {
        recorded.awaited.add(transaction);
      }
    }
    for (RowChange change : event.changes()) {
      add(recorded, change, needed);
    }
    pending.add(recorded);
    if (pending.size() > MAX_PENDING) {
      pending.removeFirst().decide(null);
    }
    if (versions > maxVersions) {
      evict();
    }
  }

  private void add(RecordedTransaction by, RowChange change, long needed) {
    boolean moved = change.access() == Access.UPDATE && change.keyBefore() != change.keyAfter();
    if (change.keyBefore() != 0 && (change.access() == Access.DELETE || moved)) {
      RowChain chain = chain(change.table(), change.keyBefore());
      connect(chain, change);
      add(chain, by, change, lastId(chain), false, true, needed);
    }
    if (change.keyAfter() != 0) {
      if (change.access() == Access.INSERT || moved) {
        RowChain chain = inserted(change.table(), change.keyAfter());
        long id = chain.versions.isEmpty() && base.complete() ? chain.key : newId(chain);
        add(chain, by, change, id, true, false, needed);
      } else if (change.access() == Access.UPDATE) {
        RowChain chain = chain(change.table(), change.keyAfter());
        connect(chain, change);
        add(chain, by, change, lastId(chain), false, false, needed);
      }
    }
  }

  RecordedTransaction newStated(TimedTransaction transaction, int[] statements) {
    return RecordedTransaction.ofStated(transaction, statements, ids.next());
  }

  /**
   * Adds a version that a transaction states.
   *
   * @param written when its statement was executed
   * @param place its index among the versions of its row
   */
  void addStated(RowVersion version, Window written, int place, long needed) {
    RowChain chain = version.row;
    RowVersion before = chain.versions.get(place - 1);
    version.written = before.by == version.by ? before.written : written;
    chain.versions.add(place, version);
    if (version.by != null) {
      version.by.versions.add(version);
    }
    versions++;
    versions -= chain.prune(needed);
    if (versions > maxVersions) {
      evict();
    }
  }

  /** Another id for the row that has a key now. */
  long newId(RowChain chain) {
    long id = (chain.key ^ ids.next()) * 0x9E37_79B9_7F4A_7C15L;
    id = id == 0 ? 1 : id;
    Event.RowNamed name = names.get(new HashedKey(chain.table, chain.key));
    if (name != null) {
      named.accept(new Event.RowNamed(name.session(), name.table(), id, name.key()));
    }
    return id;
  }

  /** A row is named by the hash of its key. */
  void named(Event.RowNamed name) {
    names.put(new HashedKey(name.table(), name.row()), name);
    if (names.size() > MAX_NAMES) {
      names.remove(names.keySet().iterator().next());
    }
  }

  private static long lastId(RowChain chain) {
    RowVersion last = chain.last();
    return last == null ? chain.key : last.rowId;
  }

  private void add(
      RowChain chain,
      RecordedTransaction by,
      RowChange change,
      long id,
      boolean insertion,
      boolean deletion,
      long needed) {
    RowVersion last = chain.last();
    boolean stillInsertion =
        insertion
            || last != null
                && last.by == by
                && last.group == change.group()
                && last.rowId == id
                && last.insertion;
    if (last != null && last.by == by && last.group == change.group() && last.rowId == id) {
      chain.versions.remove(chain.versions.size() - 1);
      by.versions.remove(last);
      versions--;
    }
    if (chain.versions.size() >= RowChain.MAX_VERSIONS - 1) {
      for (int i = 0; i < 2; i++) {
        RecordedTransaction oldest = chain.versions.get(i).by;
        if (oldest != null && !oldest.decided) {
          oldest.decide(null);
          pending.remove(oldest);
        }
      }
    }
    RowVersion version =
        new RowVersion(
            chain,
            id,
            by,
            change.group(),
            stillInsertion,
            deletion,
            change.columns(),
            deletion ? null : change.after(),
            null);
    version.moved = change.access() == Access.UPDATE && change.keyBefore() != change.keyAfter();
    if (!deletion) {
      version.withPlain(change.columns(), change.plainAfter());
    }
    chain.add(version);
    choices.changed(version);
    by.versions.add(version);
    versions++;
    versions -= chain.prune(needed);
  }

  private RowChain inserted(String table, long key) {
    return rows.computeIfAbsent(new HashedKey(table, key), k -> new RowChain(table, key));
  }

  /** The versions of a row, at least the one that was there first. */
  RowChain chain(String table, long key) {
    RowChain chain = inserted(table, key);
    if (chain.versions.isEmpty()) {
      chain.add(new RowVersion(chain, key, base));
      versions++;
    }
    return chain;
  }

  /** Whether a transaction is known to have changed all rows that it states, as far as by key. */
  boolean shows(StatedWrite stated, @Nullable RecordedTransaction by) {
    for (long key : stated.rows().keys()) {
      RowChain chain = known(stated.rows().table(), key);
      if (key != 0
          && (by == null
              || chain == null
              || chain.versions.stream().noneMatch(version -> version.by == by))) {
        return false;
      }
    }
    return true;
  }

  /** The versions of a row; null if none is known. */
  @Nullable RowChain known(String table, long key) {
    return rows.get(new HashedKey(table, key));
  }

  /**
   * Compares what a change replaced with what is known of the row: if that differs, a change is
   * missing in the record.
   */
  private void connect(RowChain chain, RowChange change) {
    RowVersion last = chain.last();
    if (last == null || change.before().length == 0) {
      return;
    }
    if (last.by == null && last.values == null) {
      last.columns = change.columns();
      last.values = change.before();
      last.withPlain(change.columns(), change.plainBefore());
    } else if (last.deletion || !isSame(last, change)) {
      RecordedTransaction missing = RecordedTransaction.missing(ids.next());
      chain.add(
          new RowVersion(
                  chain,
                  last.deletion ? newId(chain) : last.rowId,
                  missing,
                  0,
                  last.deletion,
                  false,
                  change.columns(),
                  change.before(),
                  null)
              .withPlain(change.columns(), change.plainBefore()));
      versions++;
    }
  }

  private static boolean isSame(RowVersion last, RowChange change) {
    int[] values = last.values;
    if (values == null) {
      return true;
    }
    boolean sameColumns = last.columns.equals(change.columns());
    if (sameColumns && Arrays.equals(values, change.before())) {
      return true;
    }
    for (int i = 0; i < change.before().length; i++) {
      int column = sameColumns ? i : last.columns.indexOf(change.columns().get(i));
      int known = column < 0 ? ValueHash.UNKNOWN : values[column];
      int before = change.before()[i];
      if (known != ValueHash.UNKNOWN && before != ValueHash.UNKNOWN && known != before) {
        return false;
      }
    }
    return true;
  }

  /** Some of the record is missing: what is known of rows no longer continues. */
  void lost() {
    rows.clear();
    choices.clear();
    versions = 0;
    base = new WriterList(WriterToken.of(ids.next(), 1), false);
    decideAll();
  }

  /** Drops the rows that were used longest ago. */
  private void evict() {
    int target = maxVersions - maxVersions / 8;
    for (Iterator<RowChain> all = rows.values().iterator(); versions > target && all.hasNext(); ) {
      versions -= all.next().versions.size();
      all.remove();
    }
    base = new WriterList(WriterToken.of(ids.next(), 1), false);
  }

  /** Whether a transaction may be one whose record is not decided. */
  boolean mayBePending(TimedTransaction transaction) {
    for (RecordedTransaction recorded : pending) {
      if (mayBe(transaction, recorded)) {
        return true;
      }
    }
    return false;
  }

  boolean hasPending() {
    return !pending.isEmpty();
  }

  private boolean mayBe(TimedTransaction transaction, RecordedTransaction recorded) {
    return (recorded.connection == 0 || transaction.connection == recorded.connection)
        && Attribution.mayBe(transaction, recorded, skew);
  }

  /** Decides whose the recorded transactions are, as far as that is certain by now. */
  void decide() {
    Set<Long> undecided = new HashSet<>(); // a transaction of theirs may be an earlier record's
    for (Iterator<RecordedTransaction> all = pending.iterator(); all.hasNext(); ) {
      RecordedTransaction recorded = all.next();
      if (!undecided.contains(recorded.connection) && decide(recorded)) {
        all.remove();
      } else if (recorded.connection != 0) {
        undecided.add(recorded.connection);
      }
    }
  }

  /** Decides all: what is not certain by now has no watched writer. */
  void decideAll() {
    decide();
    pending.forEach(recorded -> recorded.decide(null));
    pending.clear();
  }

  private boolean decide(RecordedTransaction recorded) {
    if (recorded.connection != 0) {
      return decideByConnection(recorded);
    }
    for (RowVersion version : recorded.versions) { // whose order the locks of a row decide
      RowVersion before = version.row.beforeWriter(version);
      if (before != null && !before.isDecided()) {
        return false;
      }
    }
    List<TimedTransaction> candidates = candidates(recorded);
    if (candidates.isEmpty()) {
      if (isWriterAwaited(recorded) && isRecent(recorded)) {
        return false;
      }
      recorded.decide(null);
      return true;
    }
    TimedTransaction first = candidates.get(0);
    if (first.lossy) {
      recorded.decide(null);
      return true;
    }
    if (first.outcome == null || !wasReadThrough(first.end.returned())) {
      return false; // it may be rolled back, or another recorded one may be it as well
    }
    boolean isOnly = isOnlyRecordOf(first, recorded);
    if (!isOnly) {
      first.ambiguous |= mayBeAnother(first, recorded);
      if (first.ambiguous
          || !Attribution.followsUnknown(first, recorded, skew)
          || !areFollowedByOthers(recorded, first)) {
        recorded.decide(null);
        return true;
      }
    }
    boolean isCertain = isOnly || Attribution.cannotBeSkipped(first, recorded);
    boolean isAwaited = !isCertain && isWriterAwaited(recorded);
    if (isAwaited && isRecent(recorded)) {
      return false;
    }
    if (isCertain
        || !isAwaited && candidates.size() == 1 && Attribution.mayStateNews(first, recorded)) {
      recorded.doubtful = !Attribution.surelyChanged(first);
      decide(recorded, first);
      return true;
    }
    return giveUp(recorded, candidates);
  }

  /**
   * Whether the record of a transaction can be no other one, regardless of who else wrote its rows.
   * That is so if it must have changed a row, whichever version it found, and no other record of
   * its rows fits it. What it states may also be what the recorded one had just made, if somebody
   * who is not watched did: then it ran right after that one ({@link
   * RecordedTransaction#doubtful}).
   */
  private boolean isOnlyRecordOf(TimedTransaction transaction, RecordedTransaction recorded) {
    Set<HashedKey> seen = new HashSet<>();
    boolean mustBe = false;
    for (TimedStatement statement : transaction.statements) {
      if (!statement.mayHaveChanged()) {
        continue;
      }
      if (!statement.timed || !statement.statesAllWrites()) {
        return false;
      }
      for (StatedWrite write : statement.writes) {
        for (int row = 0; row < write.rows().size(); row++) {
          HashedKey key = new HashedKey(write.rows().table(), write.rows().keys()[row]);
          if (seen.add(key)) {
            RowChain chain = rows.get(key);
            if (!isKeptSince(chain, statement.window.sent())
                || chain != null && mayBeIn(transaction, chain, recorded)) {
              return false;
            }
            mustBe |=
                chain != null
                    && isIn(recorded, chain)
                    && !statement.changedNothing
                    && (TimedStatement.isSure(write)
                        || isNewsToAll(write, row, statement.window, chain, recorded));
          }
        }
      }
    }
    return mustBe;
  }

  /** Whether all versions of a row are kept that were the current one at a time, or later. */
  private boolean isKeptSince(@Nullable RowChain chain, long time) {
    if (chain == null) {
      return base.complete();
    }
    return chain.keptSince < Window.minus(time, skew)
        && (base.complete()
            || chain.versions.stream().anyMatch(version -> wasThere(version, time)));
  }

  /** Whether a version had been recorded before a statement was sent. */
  private boolean wasThere(RowVersion version, long sent) {
    return version.by != null && Window.plus(version.by.received, skew) < sent;
  }

  private static boolean isIn(RecordedTransaction recorded, RowChain chain) {
    return chain.versions.stream().anyMatch(version -> version.by == recorded);
  }

  /** Whether a transaction may have made a version of a row that another record shows. */
  private boolean mayBeIn(
      TimedTransaction transaction, RowChain chain, RecordedTransaction recorded) {
    RecordedTransaction last = recorded;
    for (RowVersion version : chain.versions) {
      RecordedTransaction by = version.by;
      if (by != null && by != last && by != recorded && by.writer == null) {
        if (by.isMissing() || Attribution.states(transaction, by, skew)) {
          return true;
        }
        last = by;
      }
    }
    return false;
  }

  /**
   * Whether a write states another value than each version that it may have found, apart from that
   * of the recorded transaction.
   */
  private boolean isNewsToAll(
      StatedWrite write, int row, Window when, RowChain chain, RecordedTransaction recorded) {
    for (int i = chain.versions.size() - 1; i >= 0; i--) {
      RowVersion version = chain.versions.get(i);
      if (version.by == recorded
          || version.by != null && version.by.readBefore >= Window.plus(when.returned(), skew)) {
        continue;
      }
      if (!version.isOther(write.rows(), row)) {
        return false;
      }
      if (wasThere(version, when.sent())) {
        return true;
      }
    }
    return true;
  }

  /** Whether a transaction may be the writer of which no write has arrived. */
  private boolean isWriterAwaited(RecordedTransaction recorded) {
    recorded.awaited.removeIf(transaction -> !mayHaveWrittenUnknown(transaction, recorded));
    return !recorded.awaited.isEmpty();
  }

  private boolean mayHaveWrittenUnknown(
      TimedTransaction transaction, RecordedTransaction recorded) {
    return transaction.mayHaveBeenCommittedUnknown(Window.minus(recorded.received, skew));
  }

  /** Whether its writer's events may still arrive, unless its thread stands still. */
  private boolean isRecent(RecordedTransaction recorded) {
    return through < Window.plus(recorded.received, VersionResolver.MAX_ARRIVAL_NANOS);
  }

  /**
   * Whether a transaction fits other changes as well: they may be its own, if the first ones are of
   * somebody who is not watched.
   */
  private boolean mayBeAnother(TimedTransaction transaction, RecordedTransaction recorded) {
    for (RecordedTransaction other : pending) {
      if (other != recorded && !other.decided && Attribution.states(transaction, other, skew)) {
        return true;
      }
    }
    return false;
  }

  /** It has no watched writer if nothing that may still arrive can decide it. */
  private boolean giveUp(RecordedTransaction recorded, List<TimedTransaction> candidates) {
    for (TimedTransaction candidate : candidates) {
      if (candidate.outcome == null || !wasReadThrough(candidate.end.returned())) {
        return false;
      }
    }
    recorded.decide(null);
    return true;
  }

  /**
   * Whether each later version of the same rows that the record shows up to a transaction's end may
   * be one of other watched transactions that waited for it. If not, somebody who is not watched
   * writes these rows, and this transaction may have made that version instead of this one.
   */
  private boolean areFollowedByOthers(RecordedTransaction recorded, TimedTransaction transaction) {
    for (RowVersion version : recorded.versions) {
      List<RowVersion> all = version.row.versions;
      for (int i = all.size() - 1; i >= 0 && all.get(i) != version; i--) {
        RecordedTransaction by = all.get(i).by;
        if (by != null
            && by != recorded
            && by.readBefore < Window.plus(transaction.end.returned(), skew)
            && !isByOther(by, all.get(i), transaction)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isByOther(
      RecordedTransaction by, RowVersion version, TimedTransaction transaction) {
    if (by.decided) {
      return by.writer != null;
    }
    for (TimedTransaction other : unrecorded) {
      if (other != transaction
          && Attribution.states(other, by, skew)
          && Attribution.mayFollow(other, version, transaction, skew)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The transactions of one connection are recorded in the order of their execution. So each is
   * recorded by the first one or a later one, up to the last that leaves enough of them for those
   * recorded afterwards; those in between may have changed nothing.
   */
  private boolean decideByConnection(RecordedTransaction recorded) {
    List<TimedTransaction> ofConnection = new ArrayList<>();
    for (TimedTransaction transaction : unrecorded.ofConnection(recorded.connection)) {
      if (transaction.recorded == null) {
        ofConnection.add(transaction);
      }
    }
    int first = 0;
    while (first < ofConnection.size() && !mayBe(ofConnection.get(first), recorded)) {
      first++;
    }
    if (first == ofConnection.size()) {
      if (connections.mayArrive(recorded)
          && through < recorded.received + VersionResolver.MAX_DELAY_NANOS) {
        return false;
      }
      recorded.decide(null);
      return true;
    }
    TimedTransaction transaction = ofConnection.get(first);
    if (transaction.lossy || transaction.ambiguous) {
      return isNobodys(recorded, ofConnection);
    }
    if (transaction.outcome == null) { // it may still be rolled back, and then it is not the one
      return false;
    }
    for (RowVersion version : recorded.versions) { // whose writer it may have waited for
      RowVersion before = version.row.beforeWriter(version);
      if (before != null && !before.isDecided()) {
        return false;
      }
    }
    boolean isCertain =
        Attribution.surelyChanged(transaction)
            || areOfWatched(recorded) && Attribution.cannotBeSkipped(transaction, recorded);
    boolean isAwaited = !isCertain && isWriterAwaited(recorded);
    if (isAwaited && isRecent(recorded)) {
      return false;
    }
    if (isCertain || !isAwaited && isOnlyOne(recorded, ofConnection, first)) {
      ofConnection.subList(0, first).forEach(unrecorded::remove); // theirs would have come before
      decide(recorded, transaction);
      return true;
    }
    return giveUp(recorded, candidates(recorded)) && isNobodys(recorded, ofConnection);
  }

  /** One of these transactions is recorded so; which one is not known, nor then by later ones. */
  private boolean isNobodys(RecordedTransaction recorded, List<TimedTransaction> ofConnection) {
    for (TimedTransaction transaction : ofConnection) {
      transaction.ambiguous |= mayBe(transaction, recorded);
    }
    recorded.decide(null);
    return true;
  }

  /** Whether only the given one leaves enough transactions for those that are recorded later. */
  private boolean isOnlyOne(
      RecordedTransaction recorded, List<TimedTransaction> ofConnection, int first) {
    List<RecordedTransaction> later = new ArrayList<>();
    for (RecordedTransaction other : pending) {
      if (other.connection == recorded.connection && !other.decided) {
        later.add(other);
      }
    }
    int next = ofConnection.size() - 1;
    for (int i = later.size() - 1; i >= 0; i--) {
      int last = next;
      while (last >= first && !mayBe(ofConnection.get(last), later.get(i))) {
        last--;
      }
      if (later.get(i) == recorded) {
        return last == first;
      }
      next = last < first ? next : last - 1; // one that fits nowhere takes no place
    }
    return false;
  }

  /** Whether the versions that were replaced are of watched transactions, or were there first. */
  private static boolean areOfWatched(RecordedTransaction recorded) {
    for (RowVersion version : recorded.versions) {
      RowVersion before = version.row.beforeWriter(version);
      if (before != null && before.by != null && before.by.writer == null) {
        return false;
      }
    }
    return true;
  }

  private void decide(RecordedTransaction recorded, TimedTransaction transaction) {
    unrecorded.remove(transaction);
    if (recorded.connection != 0) {
      connections.numbersAgree();
    }
    recorded.decide(transaction.passed ? null : transaction);
    if (transaction.passed) {
      transaction.recorded = recorded;
    }
  }

  /**
   * Whether txwatch does not watch the session that committed a transaction, even if numbers of
   * connections should deceive: no watched one that has no record states these changes.
   */
  boolean isNotWatched(RecordedTransaction recorded) {
    if (!recorded.decided || recorded.writer != null || !connections.isNotWatched(recorded, open)) {
      return false;
    }
    for (TimedTransaction transaction : unrecorded) {
      if (Attribution.states(transaction, recorded, skew)) {
        return false;
      }
    }
    return true;
  }

  /** Those that may have made the changes, in the order in which they sent COMMIT. */
  private List<TimedTransaction> candidates(RecordedTransaction recorded) {
    Iterable<TimedTransaction> all =
        recorded.connection == 0 ? unrecorded : unrecorded.ofConnection(recorded.connection);
    List<TimedTransaction> found = new ArrayList<>();
    for (TimedTransaction transaction : all) {
      if (mayBe(transaction, recorded)) {
        found.add(transaction);
      }
    }
    found.sort((one, other) -> Long.compare(order(one), order(other)));
    return found;
  }

  private static long order(TimedTransaction transaction) {
    return transaction.endTimed ? transaction.end.sent() : Long.MAX_VALUE;
  }
}
