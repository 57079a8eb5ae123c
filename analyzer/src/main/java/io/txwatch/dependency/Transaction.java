package io.txwatch.dependency;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.KeyValues;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowShare;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A transaction as far as it was observed; at first perhaps only its token in a writers' list. */
public final class Transaction {

  private static final List<int[]> NOTHING_UNDONE = List.of();
  private static final long[] NO_IDS = {};
  private static final int[] NO_STATEMENTS = {};

  /** Up to this many writes a scan is faster than a map. */
  private static final int MAX_SCANNED_WRITES = 16;

  /**
   * Its node in the graph of committed transactions, the same in each graph of them; -1 if it is in
   * none.
   */
  public int node = -1;

  private final long id;
  private final Footprint footprint;

  /**
   * The memory of its statements, reads and links; it only grows until the transaction is
   * discarded.
   */
  private long weight;

  private Session session = Session.NONE;
  private String name = "";
  private String traceId = "";
  private IsolationLevel level = IsolationLevel.UNKNOWN;
  private boolean beginObserved;
  private RowShare share = RowShare.ALL;

  /** False while only its tokens were observed. */
  boolean observed;

  /** Stands for an id that the DBMS gave to two observed transactions: it identifies neither. */
  boolean isContested;

  /** An event of it was lost, or may have been: what it did is not known for certain. */
  boolean lossy;

  /** The rows of one of its statements were not observed. */
  boolean gap;

  /** As {@link #lossy}, unless the count of events at its end shows that none is missing. */
  boolean eventsMayBeLost;

  int events;

  /** A statement of it may have written, and its event reports no version that it wrote. */
  private boolean unseenWrites;

  /** The highest number of its observed statements. */
  private int lastStatement;

  @Nullable Outcome outcome;

  /** When it was first mentioned, on the clock of events. */
  long firstMentionedAt;

  /** When it began, on the clock of events. */
  long beganAt;

  /** When it ended, on the same clock. */
  long endedAt = Long.MAX_VALUE;

  /** Whether it had ended once before. */
  boolean endedTwice;

  /** When it ended by its node's clock, in microseconds since 1970; for reports. */
  long endedMicros;

  /** When the oldest transaction began that was active when this one began. */
  long horizon;

  /** The last transactions that ended before it began, if real-time order counts. */
  List<Transaction> after = List.of();

  /** True once it was discarded: it then only has its id. */
  boolean discarded;

  /** True while its commit is processed. */
  boolean committing;

  /** True once its reads count: it committed and was observed in full. */
  boolean readsCount;

  /** The ids that its DBMS gave to it and to the parts of it that began with a savepoint. */
  private long[] idsByDbms = NO_IDS;

  /** For each of these ids a statement that wrote under it. */
  private int[] statementsOfIds = NO_STATEMENTS;

  /** The id that its DBMS gave to it as a whole; 0 if that is not known. */
  long wholeId;

  private List<Statement> statements = new ArrayList<>(6);
  private List<int[]> undone = NOTHING_UNDONE;

  /** The statements that ended with an error; null if none did. */
  private @Nullable BitSet failed;

  List<Version> writes = new ArrayList<>(2);
  List<Version.Read> reads = new ArrayList<>(4);

  /** The target rows of its writes by key. */
  List<KeyedWrites.Target> targets = new ArrayList<>(0);

  /** Its predicate dependencies; null if none. */
  @Nullable PredicateLinks predicates;

  /** Its last surviving write of each row, while it is active; null unless it wrote many. */
  private @Nullable Map<Row, Version> ownWrites;

  /** Reads that did not return an own write, as known at the time of the read. */
  List<InternalRead> internalReads = new ArrayList<>(0);

  /**
   * A statement.
   *
   * @param rowsSeen whether any of its rows were observed
   * @param mayHaveWrittenMore whether it may have written rows that its event does not report
   * @param arrived when its event arrived, on the clock of events
   * @param columns {@link Event.StatementExecuted#columns}
   * @param keyValues {@link Event.StatementExecuted#keyValues}
   */
  public record Statement(
      int number,
      StatementKind kind,
      String sql,
      String callSite,
      boolean rowsSeen,
      boolean mayHaveWrittenMore,
      long arrived,
      String columns,
      List<KeyValues> keyValues) {}

  /**
   * A read by {@code statement} that returned {@code seen} although {@code own} had been written.
   */
  record InternalRead(Version own, Version seen, int statement) {}

  Transaction(long id, Footprint footprint) {
    this.id = id;
    this.footprint = footprint;
  }

  /** Accounts for memory that is retained until this transaction is discarded. */
  void addWeight(long more) {
    if (!discarded) {
      weight += more;
      footprint.add(more);
    }
  }

  /** Accounts for memory that is released earlier. */
  void removeWeight(long fewer) {
    addWeight(-fewer);
  }

  /** The memory retained for this transaction alone, including its versions. */
  long weight() {
    return weight + (long) Footprint.VERSION * writes.size();
  }

  Session session() {
    return session;
  }

  long[] idsByDbms() {
    return idsByDbms;
  }

  void addIdByDbms(long given, int statement) {
    int ids = idsByDbms.length;
    idsByDbms = Arrays.copyOf(idsByDbms, ids + 1);
    idsByDbms[ids] = given;
    statementsOfIds = Arrays.copyOf(statementsOfIds, ids + 1);
    statementsOfIds[ids] = statement;
    addWeight(Footprint.ID_BY_DBMS);
  }

  /**
   * A statement that wrote under an id that the DBMS gave; 0 if none is known. What has one id is
   * undone as a whole or not at all.
   */
  int statementOf(long given) {
    for (int i = 0; i < idsByDbms.length; i++) {
      if (idsByDbms[i] == given) {
        return statementsOfIds[i];
      }
    }
    return 0;
  }

  void began(Session in, @Nullable IsolationLevel at, String called) {
    began(in, at, called, "", RowShare.ALL);
  }

  void began(Session in, @Nullable IsolationLevel at, String called, String trace, RowShare of) {
    observed = true;
    share = of;
    session = in;
    name = called;
    traceId = trace;
    if (!trace.isEmpty()) {
      addWeight(Footprint.ofText(trace));
    }
    lossy |= !in.opened; // the database of its rows is unknown
    if (at != null) {
      level = at;
      beginObserved = true;
    }
  }

  /**
   * It turned out to have committed, although no session of it is watched.
   *
   * @param name names it in reports
   * @param other an observed transaction of the same database
   */
  void committedUnwatched(String name, Transaction other) {
    session = new Session(0, name, other.session.database);
    level = other.level;
    outcome = Outcome.COMMITTED;
  }

  void executed(Event.StatementExecuted event, long arrived, StringCache texts) {
    String sql = texts.intern(event.sql());
    long added = texts.addedWeight;
    String callSite = texts.intern(event.callSite());
    added += texts.addedWeight;
    String columns = texts.intern(event.columns());
    addWeight(Footprint.STATEMENT + added + texts.addedWeight);
    addWeight((long) Footprint.KEY_VALUES * event.keyValues().size());
    lastStatement = Math.max(lastStatement, event.statement());
    boolean reportsNone = event.kind().mayWrite() && !reportsWrite(event);
    unseenWrites |= reportsNone;
    if (!event.succeeded()) {
      failed(event.statement());
    }
    statements.add(
        new Statement(
            event.statement(),
            event.kind(),
            sql,
            callSite,
            !event.rows().isEmpty(),
            reportsNone || !event.writesSeen(),
            arrived,
            columns,
            event.keyValues()));
  }

  private void failed(int statement) {
    BitSet known = failed;
    if (known == null) {
      known = new BitSet();
      failed = known;
      addWeight(Footprint.BIT_SET);
    }
    int before = known.size();
    known.set(statement);
    addWeight((known.size() - before) / Byte.SIZE);
  }

  /**
   * Whether a version of it may not exist: its statement ended with an error. The DBMS has usually
   * undone what it had written, which at READ UNCOMMITTED others may have read; but a driver may
   * also reject the result of a statement that the DBMS has executed.
   */
  boolean mayHaveFailedToWrite(Version version) {
    return failed != null && version.number > 0 && failed.get(version.number);
  }

  private static boolean reportsWrite(Event.StatementExecuted event) {
    for (RowAccess row : event.rows()) {
      if (row.access().isWrite() && row.access() != Access.TARGET) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a statement of it may have written versions that only a later read of the row shows:
   * where a DBMS does not return the rows that an UPDATE wrote.
   */
  boolean hasUnseenWrites() {
    return unseenWrites;
  }

  /** Rows of a statement became known after its event. */
  void rowsKnown(Statement of) {
    int index = statements.indexOf(of);
    if (index >= 0 && !of.rowsSeen()) {
      statements.set(
          index,
          new Statement(
              of.number(),
              of.kind(),
              of.sql(),
              of.callSite(),
              true,
              of.mayHaveWrittenMore(),
              of.arrived(),
              of.columns(),
              of.keyValues()));
    }
  }

  /** Marks statements as undone, own writes among them. */
  void undone(int first, int last) {
    undone = undone.isEmpty() ? new ArrayList<>(1) : undone;
    undone.add(new int[] {first, last});
    addWeight(Footprint.UNDONE);
    ownWrites = null;
  }

  void addOwnWrite(Version version) {
    if (ownWrites != null) {
      ownWrites.put(version.row, version);
    }
  }

  /** Its last surviving write of a row, while it runs; null if there is none. */
  @Nullable Version ownWrite(Row row) {
    if (writes.size() > MAX_SCANNED_WRITES) {
      ownWrites = ownWrites == null ? mapOwnWrites() : ownWrites;
      return ownWrites.get(row);
    }
    Version last = null;
    for (int i = 0; i < writes.size(); i++) {
      Version write = writes.get(i);
      if (write.row == row
          && isOwnWrite(write)
          && (last == null || last.statement < write.statement)) {
        last = write;
      }
    }
    return last;
  }

  private Map<Row, Version> mapOwnWrites() {
    Map<Row, Version> last = new IdentityHashMap<>();
    for (Version write : writes) {
      if (isOwnWrite(write)) {
        last.merge(write.row, write, (one, other) -> one.statement > other.statement ? one : other);
      }
    }
    return last;
  }

  /** Whether its own event reported a write that was not undone. */
  private boolean isOwnWrite(Version write) {
    return write.certain && !write.isUndone();
  }

  /** It has ended: its own writes need no lookup any more. */
  void ended() {
    ownWrites = null;
  }

  /** Whether it was discarded, by {@link DependencyInference#discard}. */
  public boolean isDiscarded() {
    return discarded;
  }

  /** Releases everything except the id. */
  void discard() {
    footprint.release(weight);
    weight = 0;
    discarded = true;
    predicates = null;
    idsByDbms = NO_IDS;
    statementsOfIds = NO_STATEMENTS;
    after = List.of();
    statements = List.of();
    undone = NOTHING_UNDONE;
    failed = null;
    writes = List.of();
    reads = List.of();
    targets = List.of();
    ownWrites = null;
    internalReads = List.of();
  }

  /** When the event of a statement arrived; 0 if it was not observed. */
  long arrived(int number) {
    return statement(number).map(Statement::arrived).orElse(0L);
  }

  /**
   * Whether a statement of it is known to have made a version of a row, unless it is not known what
   * that replaced.
   */
  boolean replacedKnown(Row row, int statement) {
    for (Version write : writes) {
      boolean isUnlinked = write.hasIdByDbms() && write.previous == null && !write.cut;
      if (write.row == row && write.statement == statement && !isUnlinked) {
        return true;
      }
    }
    return false;
  }

  boolean hasWritten(Row row) {
    for (Version write : writes) {
      if (write.row == row) {
        return true;
      }
    }
    return false;
  }

  /** Reports the reads that missed own writes, unless rows of a statement were not observed. */
  void reportInternalReads(DependencyListener out) {
    if (!gap) {
      for (InternalRead read : internalReads) {
        Version own = read.own();
        out.wrongRead(
            WrongRead.INTERNAL, Edge.ofRead(this, this, own.row, own.statement, read.statement()));
      }
    }
  }

  /**
   * Whether it never executed a statement of that number; for a transaction that ended and was
   * observed in full.
   */
  boolean cannotHaveWritten(int statement) {
    return !gap && statement > lastStatement && statement != WriterToken.MAX_STATEMENT;
  }

  /** The rows of which its accesses were emitted. */
  RowShare share() {
    return share;
  }

  /**
   * Whether a version that it made is known as well as without overload: the row is of its share,
   * and so is a row that the statement is known to have accessed.
   */
  boolean isObservedWrite(Version version) {
    return share.isAll()
        || share.contains(version.row.table(), version.row.id())
            && (version.certain
                || version.number == WriterToken.BY_DBMS
                || statement(version.number).isPresent());
  }

  /** Whether it undid a statement by ROLLBACK TO SAVEPOINT. */
  public boolean isUndone(int statement) {
    for (int i = 0; i < undone.size(); i++) {
      int[] range = undone.get(i);
      if (statement >= range[0] && statement <= range[1]) {
        return true;
      }
    }
    return false;
  }

  public long id() {
    return id;
  }

  /** What the application calls it; empty if not known. */
  public String name() {
    return name;
  }

  /** The trace that it is part of; empty if not known. */
  public String traceId() {
    return traceId;
  }

  /** The session's name; empty if not known. */
  public String sessionName() {
    return session.name;
  }

  /** The session's DBMS; without a name if not known. */
  public Database database() {
    return session.database;
  }

  /** Its level is another, or not known any more. */
  void level(IsolationLevel other) {
    level = other;
  }

  /** The level it ran at, as far as is known. */
  public IsolationLevel level() {
    return level;
  }

  /** Whether its beginning was observed. */
  boolean isBeginObserved() {
    return beginObserved;
  }

  /** How it ended; empty if not observed. */
  public Optional<Outcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  /** Whether it is not known to have committed. */
  boolean isUndecided() {
    return outcome != Outcome.COMMITTED;
  }

  /** When it ended, by its node's clock, in microseconds since 1970; 0 if that is not known. */
  public long endedMicros() {
    return endedMicros;
  }

  /** Whether the rows of some of its statements were not observed. */
  public boolean hasGap() {
    return gap;
  }

  /** Its observed statements, in order. */
  public List<Statement> statements() {
    return statements;
  }

  /** The statement of that number, if observed. */
  public Optional<Statement> statement(int number) {
    for (int i = Math.min(number, statements.size()) - 1; i >= 0; i--) {
      if (statements.get(i).number() == number) {
        return Optional.of(statements.get(i));
      }
    }
    return statements.stream().filter(s -> s.number() == number).findFirst();
  }

  /**
   * Whether a statement read columns that others had written in a version that this transaction had
   * written itself. Its write had used the newest version, so it is no read of a snapshot.
   */
  public boolean readsInOwnVersion(Row row, int statement) {
    for (Version.Read read : reads) {
      if (read.isOwn && read.statement == statement && read.version.row == row) {
        return true;
      }
    }
    return false;
  }

  /**
   * The last statement before a write that returned the version of a row which the write replaced,
   * or an earlier one that differs in other columns only; empty if none did.
   *
   * @param write the number of the statement that wrote the row
   */
  public Optional<Statement> readBefore(Row row, int write) {
    Version written = writtenBy(row, write);
    if (written == null) {
      return Optional.empty();
    }
    int last = 0;
    for (Version.Read read : reads) {
      if (read.version.row == row
          && read.evidence == EdgeEvidence.ITEM
          && read.returned()
          && read.isExact()
          && !read.isOwn
          && read.statement > last
          && read.statement < write
          && (read.columns & written.written()) != 0
          && replaces(written, read)) {
        last = read.statement;
      }
    }
    return last == 0 ? Optional.empty() : statement(last);
  }

  private @Nullable Version writtenBy(Row row, int statement) {
    for (Version write : writes) {
      if (write.row == row && write.statement == statement) {
        return write;
      }
    }
    return null;
  }

  /** Whether no other transaction wrote the columns in question between a read and a write. */
  private boolean replaces(Version written, Version.Read read) {
    long columns = read.columns & written.written();
    Version version = written.previous;
    for (int left = 2 * WriterList.WINDOW; left > 0 && version != null; left--) {
      if (version == read.version) {
        return true;
      }
      boolean isOwnOrVanished = version.writer == this || version.fate == Version.Fate.VANISHED;
      boolean isOpen = version.fate == Version.Fate.OPEN;
      if (!isOwnOrVanished && (isOpen || (version.written() & columns) != 0)) {
        return false;
      }
      version = version.previous;
    }
    return false;
  }

  /**
   * Whether the statements strictly between two others read all of these columns of {@code row}, or
   * one of them locked rows which were not observed.
   *
   * <p>At SERIALIZABLE a read of a version whose fate is open does not count: nothing follows from
   * it, while from any other follow the dependencies or the wrong read that are reported instead.
   *
   * @param columns as {@link Edge#columns}
   */
  public boolean rereads(Row row, long columns, int after, int before) {
    long missing = columns;
    for (Version.Read read : reads) {
      if (read.version.row == row
          && !read.isOwn
          && !read.evidence.byPredicate()
          && (read.version.fate != Version.Fate.OPEN || level != IsolationLevel.SERIALIZABLE)
          && read.statement > after
          && read.statement < before) {
        missing &= ~read.columns;
      }
    }
    return missing == 0
        || statements.stream()
            .anyMatch(
                s ->
                    s.kind() == StatementKind.LOCKING_SELECT
                        && !s.rowsSeen()
                        && s.number() > after
                        && s.number() < before);
  }

  /**
   * The rows that it wrote or read by a locking SELECT, each possibly several times. Empty unless
   * it committed and was observed in full, no statement of it failed or was undone, and for each
   * row a statement is known.
   *
   * @param most empty also if they are more
   */
  public Optional<List<LockedRow>> lockedRows(int most) {
    boolean isComplete =
        readsCount && !gap && !discarded && share.isAll() && failed == null && undone.isEmpty();
    if (!isComplete || writes.size() > most) {
      return Optional.empty();
    }
    List<LockedRow> rows = new ArrayList<>();
    for (Version write : writes) {
      if (write.firstStatement == Integer.MAX_VALUE) {
        return Optional.empty();
      }
      rows.add(locked(write.row, write.firstStatement, write.insertion));
    }
    for (Version.Read read : reads) {
      if (read.returned()
          && read.evidence == EdgeEvidence.ITEM
          && statement(read.statement)
              .filter(statement -> statement.kind() == StatementKind.LOCKING_SELECT)
              .isPresent()) {
        rows.add(locked(read.version.row, read.statement, false));
      }
    }
    return rows.size() > most ? Optional.empty() : Optional.of(rows);
  }

  private LockedRow locked(Row row, int statement, boolean inserted) {
    ScopedRow scoped = new ScopedRow(database().scope(), row.table(), row.id());
    return new LockedRow(scoped, statement, row.key(), inserted);
  }

  @Override
  public String toString() {
    return io.txwatch.history.Ids.display(id);
  }
}
