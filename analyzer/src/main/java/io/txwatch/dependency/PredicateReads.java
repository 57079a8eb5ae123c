package io.txwatch.dependency;

import static io.txwatch.dependency.PredicateLinks.CHOSEN_RW;
import static io.txwatch.dependency.PredicateLinks.CHOSEN_WR;
import static io.txwatch.dependency.PredicateLinks.POSSIBLE_RW;
import static io.txwatch.dependency.PredicateLinks.POSSIBLE_WR;
import static io.txwatch.dependency.PredicateLinks.PROVEN_RW;
import static io.txwatch.dependency.PredicateLinks.PROVEN_WR;

import io.txwatch.dependency.PredicateLinks.Waiting;
import io.txwatch.dependency.Version.Fate;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Infers predicate dependencies (Adya 1999, section 4.3; TxCheck, section 3.2 and lemmas 4 to 6)
 * from version sets.
 *
 * <p><b>Possible ones.</b> By lemmas 4 and 6, a statement predicate-read-depends on T only if its
 * set contains a version of T, and T predicate-anti-depends on it only if T wrote a later version
 * of a row than the one in its set, or inserted a row that is not in it. The converse does not
 * hold: the DBMS may not have read the row, and the matches may be unchanged. Each is therefore
 * {@linkplain EdgeEvidence#POSSIBLE_PREDICATE possible}, and at most two of a kind are emitted for
 * two transactions. A row missing from the set counts as not inserted yet, or as deleted if a
 * deletion of it is known and no write of the reader {@linkplain HiddenRows may hide} it. A cycle
 * through a possible dependency needs overlapping transactions: dependencies are omitted where one
 * transaction ended before the horizon of the other.
 *
 * <p>Where a statement found a row by a unique key, another row is chosen only if it gets that key:
 * of other rows, insertions and deletions are omitted, and versions that wrote no column of the
 * key. A row that the reader itself had written by then shows nothing: what it replaced it has
 * seen. Where it found none, or looks for several keys, versions are omitted that a statement wrote
 * whose own {@linkplain KeyBounds keys} are others.
 *
 * <p><b>Proven ones.</b> Adya's definitions require a version that changes the matches. This is
 * proven by statements with the same {@linkplain VersionSet#predicate named predicate} P, a
 * function of a row's version. Let statement S of T read by P.
 *
 * <ul>
 *   <li><b>rw</b>: S did not return row x, S's set does not contain version v of x, written by W,
 *       and a later statement by P returned v. So v matches P, the version of x that S read (an
 *       older one, or none) does not, and T precedes W, or an earlier writer of x. "Later" means:
 *       of T itself after S, or having read what T wrote after S. Without it, x might have been
 *       deleted when S ran.
 *   <li><b>wr</b>: S returned x in version u. A later statement S' of T by P did not return x,
 *       although T did not write x. And the set of S' contains x in a later version than u, or
 *       lacks x, W is known to have deleted u, and no write of T {@linkplain HiddenRows hides} x.
 *       So the version after u does not match P: T follows its writer W, whose write S' read.
 * </ul>
 *
 * <p>Both hold for uncertain sets as well. Suppose that the set was read at another time than its
 * statement, as at READ COMMITTED. For rw: had v existed when S ran, S would have returned it. For
 * wr: had u existed when S' ran, S' would have returned it.
 *
 * <p><b>Cost.</b> A set is compared with the table once, in time linear in its size, and is not
 * kept. Versions appear and sets are read on one clock, so a version's time shows whether a set
 * contained it, except for the few rows where they differ. The reads, insertions and deletions kept
 * for each table are bounded. What is evicted loses dependencies and never adds any.
 */
final class PredicateReads {

  private static final int MAX_READS_PER_TABLE = 256;
  private static final int MAX_NAMED_READS_PER_TABLE = 1024;
  private static final int MAX_READS_PER_PREDICATE = 64;
  private static final int MAX_RECENT_CHANGES = 1024;
  private static final int MAX_MISSED_PER_READ = 256;
  private static final int MAX_STEPS = 16;

  /** Finds or creates the version of a row that a token names. */
  interface VersionLookup {
    Version of(Row row, long transaction, int statement);
  }

  private final DependencyListener out;
  private final VersionLookup versions;
  private final ShedRows shed;
  private long clock;
  private long readings;

  /** The memory of the reads that are kept; an upper bound until they are {@link #prune pruned}. */
  private long weight;

  PredicateReads(DependencyListener out, VersionLookup versions, ShedRows shed) {
    this.shed = shed;
    this.out = out;
    this.versions = versions;
  }

  /** Processes a statement's read of a table by its predicates. Its rows are known already. */
  void read(Transaction reader, Event.StatementExecuted event, VersionSet set, Table table) {
    boolean named = set.predicate() != 0 && isQuery(event.kind()) && readsForCertain(event);
    ColumnBits.Used used = table.columns.of(event.columns());
    Row found = used.key() == 0 ? null : foundRow(event, table);
    PredicateRead read =
        new PredicateRead(
            reader,
            event.statement(),
            named ? set.predicate() : 0,
            used,
            found,
            found == null ? KeyBounds.of(reader, event.keyValues(), table.name) : KeyBounds.NONE,
            set);
    weight += Footprint.PREDICATE_READ;
    compareWithTable(read, set, table);
    if (named) {
      prove(read, event, set, table);
    }
    if (read.isBounded() || links(reader).addColumns(table, read.columnsOfOthers())) {
      keep(table.reads, read);
    }
  }

  /** The row that a statement chose, if that is one row for certain. */
  private static @Nullable Row foundRow(Event.StatementExecuted event, Table table) {
    Row found = null;
    for (RowAccess access : event.rows()) {
      if (access.table().equals(table.name)) {
        Row row = table.row(access.row());
        boolean isChosen =
            access.certain()
                && access.access() != Access.INSERT
                && !access.access().isEvidenceOfDelete();
        if (!isChosen || found != null && found != row) {
          return null;
        }
        found = row;
      }
    }
    return found;
  }

  /**
   * A change certainly matters to a query that chose rows by a condition.
   *
   * @param version the version that it made
   */
  void matters(Transaction reader, KnownChange change, Version version) {
    Transaction writer = version.writer;
    if (writer == null || writer == reader || writer.discarded) {
      return;
    }
    DependencyKind kind = change.before() ? DependencyKind.WR : DependencyKind.RW;
    EdgeEvidence evidence = change.chosen() ? EdgeEvidence.ITEM : EdgeEvidence.PREDICATE;
    int link =
        change.chosen()
            ? change.before() ? CHOSEN_WR : CHOSEN_RW
            : change.before() ? PROVEN_WR : PROVEN_RW;
    if (links(reader).link(writer, link)) {
      emitOrWait(
          change.before()
              ? new Waiting(
                  writer, reader, kind, version, version.statement, change.query(), evidence)
              : new Waiting(
                  reader, writer, kind, version, change.query(), version.statement, evidence));
    }
  }

  /** The memory of the reads that are kept for the tables. */
  long weight() {
    return weight;
  }

  private static boolean isQuery(StatementKind kind) {
    return kind == StatementKind.SELECT || kind == StatementKind.LOCKING_SELECT;
  }

  private static boolean readsForCertain(Event.StatementExecuted event) {
    return event.rows().stream()
        .allMatch(access -> access.access() == Access.READ && access.certain());
  }

  /** Compares a set with what is known of the table. */
  private void compareWithTable(PredicateRead read, VersionSet set, Table table) {
    long reading = ++readings;
    long[] rows = set.rows();
    for (int i = 0; i < rows.length; i++) {
      Row row = table.row(rows[i]);
      row.lastSetRead = reading;
      long writer = set.transaction(i);
      Version version = writer == 0 ? row.initial : versions.of(row, writer, set.statement(i));
      row.versionInLastSet = version;
      if (!row.broken) {
        visit(read, version);
      }
    }
    for (Version version : table.recentChanges) {
      if (version.row.lastSetRead != reading
          && !version.row.broken
          && read.canCompare(version.row)
          && shed.isComplete(version.row, read.reader)) {
        lacks(read, version);
      }
    }
    read.readAt = clock;
  }

  private void visit(PredicateRead read, Version version) {
    Transaction writer = version.writer;
    if (writer != null && writer != read.reader) {
      if (version.fate == Fate.SURVIVED) {
        sawWriter(read, version);
      } else if (version.fate == Fate.OPEN) {
        sawUncommitted(read, version, writer);
      }
    }
    if (version.firstNext != null) {
      ChainWalk.above(
          version,
          read.columns(version.row),
          (next, covered) -> {
            if (next.fate == Fate.SURVIVED) {
              if (covered == 0) {
                noteMissed(read, next);
              }
              if (read.mayDependOn(next)
                  && (next.written() & read.columns(version.row) & ~covered) != 0) {
                missed(read, next);
              }
            }
          });
    }
  }

  /** Emits from whom the columns of the predicate are that a set's version of a row has. */
  private void sawWriter(PredicateRead read, Version version) {
    Version at = version;
    for (int i = 0; i < MAX_STEPS && at != null && at.fate != Fate.OPEN; i++) {
      if (at.fate == Fate.SURVIVED && read.mayDependOn(at)) {
        saw(read, at);
        return;
      }
      at = at.previous;
    }
  }

  /** The event of the writer's commit may still arrive, or never will. */
  private void sawUncommitted(PredicateRead read, Version version, Transaction writer) {
    if (writer.observed) {
      read.uncommitted.add(version);
      weight += Footprint.PREDICATE_ROW;
      Version.Read last = version.readers;
      if (read.mayDependOnNextOf(version) && (last == null || last.reader != read.reader)) {
        read.reader.reads.add(
            new Version.Read(
                version,
                read.reader,
                read.statement,
                EdgeEvidence.POSSIBLE_PREDICATE,
                read.columns(version.row),
                false));
        read.reader.addWeight(Footprint.READ);
      }
    } else if (version.appeared == 0) {
      version.appeared = ++clock;
    }
  }

  /** A row is missing from the set although this version of it appeared before. */
  private void lacks(PredicateRead read, Version version) {
    Transaction writer = version.writer;
    if (!read.mayDependOn(version)) {
      noteMissed(read, version);
    } else if (version.deletion) {
      if (mayFollow(read, version)
          && !isInsertedAfter(version, read.reader.beganAt)
          && !HiddenRows.mayHide(read.reader, read.statement, version)) {
        saw(read, version);
      }
    } else if (writer != null && writer.endedAt > read.reader.beganAt && !isGone(version)) {
      // A row inserted before the reader began, and missing, was deleted unobserved.
      noteMissed(read, version);
      missed(read, version);
    }
  }

  /**
   * Whether a row was inserted after a time; a reader that lacks it may then precede the insertion.
   */
  private static boolean isInsertedAfter(Version deletion, long time) {
    Version at = deletion;
    for (int i = 0; i < MAX_STEPS && at != null; i++) {
      if (at.insertion) {
        return at.writer == null || at.writer.endedAt > time;
      }
      at = at.previous;
    }
    return false;
  }

  /**
   * Whether this version or a later one is a deletion, committed, uncommitted or not known to be
   * either. Also true if the search is too long.
   */
  private static boolean isGone(Version version) {
    Deque<Version> above = new ArrayDeque<>();
    above.add(version);
    for (int i = 0; i < MAX_STEPS; i++) {
      Version at = above.poll();
      if (at == null) {
        return false;
      }
      if (at.deletion) {
        return true;
      }
      for (Version next = at.firstNext; next != null; next = next.sibling) {
        if (next.fate != Fate.VANISHED) {
          above.add(next);
        }
      }
    }
    return !above.isEmpty();
  }

  /** Whether a dependency on the writer of a version is of use. */
  private static boolean mayFollow(PredicateRead read, Version version) {
    Transaction writer = version.writer;
    return writer != null && writer != read.reader && writer.endedAt >= read.reader.horizon;
  }

  private void saw(PredicateRead read, Version version) {
    Transaction writer = version.writer;
    if (writer != null
        && mayFollow(read, version)
        && links(read.reader).linkTwice(writer, POSSIBLE_WR)) {
      emitOrWait(
          new Waiting(
              writer,
              read.reader,
              DependencyKind.WR,
              version,
              version.statement,
              read.statement,
              EdgeEvidence.POSSIBLE_PREDICATE));
    }
  }

  /** Records a version that is newer than that of the set. */
  private void noteMissed(PredicateRead read, Version version) {
    if (read.predicate != 0 && read.missed.size() < MAX_MISSED_PER_READ) {
      read.missed.put(version, true);
      weight += Footprint.PREDICATE_ROW;
    }
  }

  /**
   * Whether a transaction had replaced a version, or one after it, by the end of a statement. Then
   * that statement had seen it, even if the event of its writer's commit arrives later, or the
   * statement's own set was read before.
   */
  private static boolean isReplacedBy(Version version, Transaction by, int statement) {
    if (version.firstNext == null) {
      return false;
    }
    Deque<Version> above = new ArrayDeque<>();
    above.add(version);
    for (int i = 0; i < MAX_STEPS; i++) {
      Version at = above.poll();
      if (at == null) {
        return false;
      }
      if (at.writer == by && at.firstStatement <= statement && !at.isUndone()) {
        return true;
      }
      for (Version next = at.firstNext; next != null; next = next.sibling) {
        above.add(next);
      }
    }
    return false;
  }

  /** Emits that a set lacked a version; false if that adds no dependency. */
  private boolean missed(PredicateRead read, Version version) {
    Transaction writer = version.writer;
    if (isReplacedBy(version, read.reader, read.statement)) {
      return true; // others of the writer may be missed
    }
    if (writer != null
        && writer != read.reader
        && links(read.reader).linkTwice(writer, POSSIBLE_RW)) {
      emitOrWait(
          new Waiting(
              read.reader,
              writer,
              DependencyKind.RW,
              version,
              read.statement,
              version.statement,
              EdgeEvidence.POSSIBLE_PREDICATE));
      return true;
    }
    return false;
  }

  /** A version is now known to have survived. */
  void appeared(Version version) {
    Transaction writer = version.writer;
    if (version.appeared != 0 || writer == null) {
      return;
    }
    version.appeared = ++clock;
    Table table = version.row.owner();
    if (version.insertion || version.deletion) {
      table.recentChanges.addLast(version);
      if (table.recentChanges.size() > MAX_RECENT_CHANGES) {
        table.recentChanges.removeFirst();
      }
    }
    for (int i = 0; i < table.reads.size(); i++) {
      PredicateRead read = table.reads.get(i);
      if (read.lastMissed != writer
          && read.reader != writer
          && read.reader.endedAt >= writer.horizon
          && !read.isVoid()
          && read.canPrecede(version)
          && !read.sawUncommitted(version)) {
        noteMissed(read, version);
        if (read.mayDependOn(version) && !missed(read, version)) {
          read.lastMissed = writer;
        }
      }
    }
  }

  /** Emits what the statement proves together with others by the same predicate. */
  private void prove(
      PredicateRead read, Event.StatementExecuted event, VersionSet set, Table table) {
    Map<Transaction, Integer> written = returned(read, event, table);
    List<PredicateRead> alike =
        table.named.computeIfAbsent(set.predicate(), p -> new ArrayList<>(1));
    boolean first = true;
    for (PredicateRead before : alike) {
      boolean own = before.reader == read.reader;
      first &= !own;
      if (own || written.getOrDefault(before.reader, 0) > before.statement) {
        proveMissed(before, read);
      }
      if (own) {
        proveRemoved(before, read);
      }
    }
    if (first) {
      keepNamed(alike, read, table);
    }
  }

  /**
   * Records the rows of a table that a statement returned.
   *
   * @return the last statement of each of their writers
   */
  private Map<Transaction, Integer> returned(
      PredicateRead read, Event.StatementExecuted event, Table table) {
    Map<Transaction, Integer> written = new HashMap<>();
    for (RowAccess access : event.rows()) {
      if (access.table().equals(table.name)) {
        Row row = table.row(access.row());
        Version version = newest(row, access.writers());
        read.returned.put(row, version);
        weight += Footprint.PREDICATE_ROW;
        if (version.writer != null) {
          written.merge(version.writer, version.statement, Math::max);
        }
      }
    }
    return written;
  }

  private Version newest(Row row, WriterList writers) {
    int last = writers.size() - 1;
    return last < 0
        ? row.initial
        : versions.of(row, writers.transaction(last), writers.statement(last));
  }

  private static void keepNamed(List<PredicateRead> alike, PredicateRead read, Table table) {
    alike.add(read);
    table.namedInOrder.addLast(read);
    if (alike.size() > MAX_READS_PER_PREDICATE) {
      alike.remove(0);
    }
    if (table.namedInOrder.size() > MAX_NAMED_READS_PER_TABLE) {
      discard(table.namedInOrder.removeFirst(), table);
    }
  }

  /** Emits rw edges: rows that a later statement returned and an earlier one could not. */
  private void proveMissed(PredicateRead before, PredicateRead after) {
    if (before.isVoid()) {
      return;
    }
    after.returned.forEach(
        (row, version) -> {
          Transaction writer = version.writer;
          if (writer != null
              && writer != before.reader
              && !row.broken
              && before.canCompare(row)
              && !before.returned.containsKey(row)
              && !before.mayHaveSeen(version)
              && links(before.reader).link(writer, PROVEN_RW)) {
            emitOrWait(
                new Waiting(
                    before.reader,
                    writer,
                    DependencyKind.RW,
                    version,
                    before.statement,
                    version.statement,
                    EdgeEvidence.PREDICATE));
          }
        });
  }

  /**
   * Emits wr edges: rows that an earlier statement returned and a later one of the same transaction
   * did not.
   */
  private void proveRemoved(PredicateRead before, PredicateRead after) {
    before.returned.forEach(
        (row, version) -> {
          Version next =
              after.returned.containsKey(row)
                      || row.broken
                      || version.writer == after.reader
                      || after.reader.hasWritten(row)
                  ? null
                  : row.lastSetRead == readings
                      ? above(version, row.versionInLastSet)
                      : deletionSeenBy(after, version);
          Transaction writer = next == null ? null : next.writer;
          if (next != null
              && writer != null
              && writer != after.reader
              && links(after.reader).link(writer, PROVEN_WR)) {
            emitOrWait(
                new Waiting(
                    writer,
                    after.reader,
                    DependencyKind.WR,
                    next,
                    next.statement,
                    after.statement,
                    EdgeEvidence.PREDICATE));
          }
        });
  }

  /** The version right after {@code lower}, on the path from {@code upper} down to it. */
  private static @Nullable Version above(Version lower, @Nullable Version upper) {
    Version at = upper == lower ? null : upper;
    for (int i = 0; i < MAX_STEPS && at != null; i++) {
      if (at.previous == lower) {
        return at;
      }
      at = at.previous;
    }
    return null;
  }

  /** The deletion of a row in that version, if a query that lacks the row saw it for certain. */
  private static @Nullable Version deletionSeenBy(PredicateRead query, Version version) {
    for (Version next = version.firstNext; next != null; next = next.sibling) {
      if (next.deletion && next.certain && next.fate != Fate.VANISHED) {
        return HiddenRows.mayHide(query.reader, query.statement, next) ? null : next;
      }
    }
    return null;
  }

  /** Emits a dependency as soon as both its transactions have committed. */
  private void emitOrWait(Waiting edge) {
    Transaction waitsFor =
        !edge.from().readsCount ? edge.from() : !edge.to().readsCount ? edge.to() : null;
    if (waitsFor == null) {
      if (edge.version().fate == Fate.SURVIVED && !edge.version().row.broken) {
        out.dependency(
            new Edge(
                edge.from(),
                edge.to(),
                edge.kind(),
                edge.version().row,
                edge.fromStatement(),
                edge.toStatement(),
                edge.version().isDoubtful() ? EdgeEvidence.POSSIBLE_PREDICATE : edge.evidence()));
      }
    } else if (waitsFor.outcome == null || waitsFor.committing) {
      links(waitsFor).waiting.add(edge);
      waitsFor.addWeight(Footprint.WAITING);
    }
  }

  /** A transaction has committed, and its reads count. */
  void committed(Transaction transaction) {
    PredicateLinks links = transaction.predicates;
    if (links != null && !links.waiting.isEmpty()) {
      List<Waiting> waiting = List.copyOf(links.waiting);
      links.waiting.clear();
      transaction.removeWeight((long) Footprint.WAITING * waiting.size());
      waiting.forEach(this::emitOrWait);
    }
  }

  /** Removes the reads and writes of discarded transactions. */
  void prune(Iterable<Table> tables) {
    weight = 0;
    for (Table table : tables) {
      prune(table);
      for (PredicateRead read : table.reads) {
        weight += read.weight();
      }
      for (PredicateRead read : table.namedInOrder) {
        weight += read.weight(); // some are in both lists and count twice
      }
    }
  }

  private static void prune(Table table) {
    table.reads.removeIf(read -> read.reader.discarded || read.isVoid());
    table.namedInOrder.removeIf(read -> read.reader.discarded || read.isVoid());
    table.named.clear();
    for (PredicateRead read : table.namedInOrder) {
      read.returned.values().removeIf(version -> isDiscarded(version) && isUnread(version));
      table.named.computeIfAbsent(read.predicate, p -> new ArrayList<>(1)).add(read);
    }
    table.recentChanges.removeIf(PredicateReads::isDiscarded);
  }

  private static boolean isDiscarded(Version version) {
    return version.writer != null && version.writer.discarded;
  }

  private static boolean isUnread(Version version) {
    return version.readers == null;
  }

  private static void keep(List<PredicateRead> reads, PredicateRead read) {
    if (reads.size() >= MAX_READS_PER_TABLE) {
      reads.removeIf(PredicateRead::isVoid);
    }
    if (reads.size() >= MAX_READS_PER_TABLE) {
      reads.subList(0, MAX_READS_PER_TABLE / 4).clear();
    }
    reads.add(read);
  }

  private static void discard(PredicateRead read, Table table) {
    List<PredicateRead> alike = table.named.get(read.predicate);
    if (alike != null && alike.remove(read) && alike.isEmpty()) {
      table.named.remove(read.predicate);
    }
  }

  private static PredicateLinks links(Transaction transaction) {
    PredicateLinks links = transaction.predicates;
    if (links == null) {
      links = new PredicateLinks(transaction);
      transaction.predicates = links;
    }
    return links;
  }
}
