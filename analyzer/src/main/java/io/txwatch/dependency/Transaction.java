package io.txwatch.dependency;

import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A transaction as far as it was seen: at first perhaps only its token in another's writers' list.
 */
public final class Transaction {

  private static final List<int[]> NOTHING_UNDONE = List.of();

  /** So many writes are looked through faster than a map is kept. */
  private static final int MAX_SCANNED_WRITES = 16;

  /** Its number in the graph of committed transactions; -1 if it is not in there. */
  public int node = -1;

  private final long id;
  private final Footprint footprint;

  /** What its statements, reads and links take, in bytes; it grows only until it is discarded. */
  private long weight;

  private Session session = Session.NONE;
  private IsolationLevel level = IsolationLevel.READ_UNCOMMITTED;
  private boolean levelKnown;

  /** False while only its tokens were seen. */
  boolean observed;

  /** An event of it was lost, or may have been: what it did can no longer be told for sure. */
  boolean lossy;

  /** A statement of it was not looked into. */
  boolean gap;

  /** As {@link #lossy}, unless the count of events at its end says otherwise. */
  boolean eventsMayBeLost;

  int events;

  /** The highest number of a statement of it that was seen. */
  private int lastStatement;

  @Nullable Outcome outcome;

  /** When it was first heard of, on the clock of arriving events. */
  long firstMentionedAt;

  /** When it began, on the clock of arriving events. */
  long beganAt;

  /** When it was over, on the same clock. */
  long endedAt = Long.MAX_VALUE;

  /** Whether it was over once before that. */
  boolean endedTwice;

  /** When it ended, by its node's clock, in microseconds since 1970; for people. */
  long endedMicros;

  /** When the oldest transaction had begun that ran as this one began. */
  long horizon;

  /** Who had ended when it began, and nobody since, if real time counts. */
  List<Transaction> after = List.of();

  /** True once it was discarded: what still points to it knows its id and nothing more. */
  boolean discarded;

  /** True while its commit is taken in. */
  boolean committing;

  /** True once its reads take part in dependencies: it committed, and was seen in full. */
  boolean readsCount;

  private List<Statement> statements = new ArrayList<>(6);
  private List<int[]> undone = NOTHING_UNDONE;
  List<Version> writes = new ArrayList<>(2);
  List<Version.Read> reads = new ArrayList<>(4);

  /** Rows that it was to write, found by their keys. */
  List<KeyedWrites.Target> targets = new ArrayList<>(0);

  /** What it read by predicate; null if nothing. */
  @Nullable PredicateLinks predicates;

  /** Its last own surviving write of each row, while it runs; null unless it wrote many. */
  private @Nullable Map<Row, Version> ownWrites;

  /** Reads that did not show an own write, as things stood when they happened. */
  List<InternalRead> internalReads = new ArrayList<>(0);

  /**
   * A statement of it.
   *
   * @param rowsSeen whether any of its rows were
   * @param arrived when its event came, on the clock of arriving events
   */
  public record Statement(
      int number,
      StatementKind kind,
      String sql,
      String callSite,
      boolean rowsSeen,
      long arrived) {}

  /** A read at {@code statement} that saw {@code seen} although {@code own} had been written. */
  record InternalRead(Version own, Version seen, int statement) {}

  Transaction(long id, Footprint footprint) {
    this.id = id;
    this.footprint = footprint;
  }

  /** Accounts for something that is kept until this transaction is discarded. */
  void addWeight(long more) {
    if (!discarded) {
      weight += more;
      footprint.add(more);
    }
  }

  /** Accounts for something that is released before that. */
  void removeWeight(long fewer) {
    addWeight(-fewer);
  }

  /** How many bytes are kept for it alone, its versions included. */
  long weight() {
    return weight + (long) Footprint.VERSION * writes.size();
  }

  /** The session in which it runs. */
  Session session() {
    return session;
  }

  void began(Session in, @Nullable IsolationLevel at) {
    observed = true;
    session = in;
    lossy |= !in.opened; // which database its rows are of is not known
    if (at != null) {
      level = at;
      levelKnown = true;
    }
  }

  void executed(Event.StatementExecuted event, long arrived, StringCache texts) {
    String sql = texts.intern(event.sql());
    long added = texts.addedWeight;
    String callSite = texts.intern(event.callSite());
    addWeight(Footprint.STATEMENT + added + texts.addedWeight);
    lastStatement = Math.max(lastStatement, event.statement());
    statements.add(
        new Statement(
            event.statement(), event.kind(), sql, callSite, !event.rows().isEmpty(), arrived));
  }

  /** Notes that statements were undone, and discards the own writes among them. */
  void undone(int first, int last) {
    undone = undone.isEmpty() ? new ArrayList<>(1) : undone;
    undone.add(new int[] {first, last});
    addWeight(Footprint.UNDONE);
    ownWrites = null;
  }

  /** Notes an own write. */
  void addOwnWrite(Version version) {
    if (ownWrites != null) {
      ownWrites.put(version.row, version);
    }
  }

  /** Its last surviving write of a row, while it runs; null if there is none. */
  @Nullable Version ownWrite(Row row) {
    if (writes.size() > MAX_SCANNED_WRITES) {
      if (ownWrites == null) {
        ownWrites = new IdentityHashMap<>();
        for (Version write : writes) {
          if (isOwnWrite(write)) {
            ownWrites.merge(
                write.row, write, (one, other) -> one.statement > other.statement ? one : other);
          }
        }
      }
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

  /** Whether its own event told of a write, and it was not undone. */
  private boolean isOwnWrite(Version write) {
    return write.certain && !isUndone(write.statement);
  }

  /** It has ended: what it reads is of no interest any more. */
  void ended() {
    ownWrites = null;
  }

  /** Whether it was discarded, by {@link DependencyInference#discard}. */
  public boolean isDiscarded() {
    return discarded;
  }

  /** Lets go of all but the id. */
  void discard() {
    footprint.release(weight);
    weight = 0;
    discarded = true;
    predicates = null;
    after = List.of();
    statements = List.of();
    undone = NOTHING_UNDONE;
    writes = List.of();
    reads = List.of();
    targets = List.of();
    ownWrites = null;
    internalReads = List.of();
  }

  /** When the event of a statement came; 0 if it was not seen. */
  long arrived(int number) {
    return statement(number).map(Statement::arrived).orElse(0L);
  }

  /** Whether a statement of it is known to have made a version of a row. */
  boolean hasWritten(Row row, int statement) {
    for (Version write : writes) {
      if (write.row == row && write.statement == statement) {
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

  /**
   * Tells of the reads that did not show its own writes, unless a statement was not looked into.
   */
  void reportInternalReads(DependencyListener out) {
    if (!gap) {
      for (InternalRead read : internalReads) {
        Version own = read.own();
        out.wrongRead(
            WrongRead.INTERNAL, Edge.ofRead(this, this, own.row, own.statement, read.statement()));
      }
    }
  }

  /** Whether it never came to a statement of that number; of one that has ended, seen in full. */
  boolean cannotHaveWritten(int statement) {
    return !gap && statement > lastStatement && statement != WriterToken.MAX_STATEMENT;
  }

  boolean isUndone(int statement) {
    for (int i = 0; i < undone.size(); i++) {
      int[] range = undone.get(i);
      if (statement >= range[0] && statement <= range[1]) {
        return true;
      }
    }
    return false;
  }

  /** Its id. */
  public long id() {
    return id;
  }

  /** The session's name; empty if not known. */
  public String sessionName() {
    return session.name;
  }

  /** The session's DBMS; without a name if not known. */
  public Database database() {
    return session.database;
  }

  /** The level it ran at; the weakest of all if that is not {@linkplain #levelKnown() known}. */
  public IsolationLevel level() {
    return level;
  }

  /** Whether its beginning, with the level, was seen. */
  public boolean levelKnown() {
    return levelKnown;
  }

  /** How it ended; empty if that was not seen. */
  public Optional<Outcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  /** When it ended, by its node's clock, in microseconds since 1970; 0 if that is not known. */
  public long endedMicros() {
    return endedMicros;
  }

  /** Whether some of its statements were not looked into. */
  public boolean hasGap() {
    return gap;
  }

  /** Its statements as they were seen, in order. */
  public List<Statement> statements() {
    return statements;
  }

  /** The statement of that number, if it was seen. */
  public Optional<Statement> statement(int number) {
    for (int i = Math.min(number, statements.size()) - 1; i >= 0; i--) {
      if (statements.get(i).number() == number) {
        return Optional.of(statements.get(i));
      }
    }
    return statements.stream().filter(s -> s.number() == number).findFirst();
  }

  /**
   * The number of the first statement strictly between two others that read {@code row}, or that
   * locked rows which were not seen; 0 if there is none.
   */
  public int rereads(Row row, int after, int before) {
    int first = 0;
    for (Version.Read read : reads) {
      if (read.version.row == row
          && !read.evidence.byPredicate()
          && read.statement > after
          && read.statement < before) {
        first = first == 0 ? read.statement : Math.min(first, read.statement);
      }
    }
    for (Statement s : statements) {
      if (s.kind() == StatementKind.LOCKING_SELECT
          && !s.rowsSeen()
          && s.number() > after
          && s.number() < before) {
        first = first == 0 ? s.number() : Math.min(first, s.number());
      }
    }
    return first;
  }

  @Override
  public String toString() {
    return io.txwatch.history.Ids.display(id);
  }
}
