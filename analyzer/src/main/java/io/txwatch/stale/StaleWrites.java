package io.txwatch.stale;

import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.Granularity;
import io.txwatch.dependency.KnownRow;
import io.txwatch.dependency.ScopedRow;
import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.stale.RowHistory.Seen;
import io.txwatch.stale.RowHistory.Token;
import io.txwatch.stale.RowHistory.Write;
import io.txwatch.version.VersionResolver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds stale writes in a stream of events. Not thread-safe.
 *
 * <p>An UPDATE of T3 is a stale write if T1, an earlier transaction of the same {@linkplain Across
 * group}, read a column that it assigns, another group's transaction T2 wrote that column in a
 * later version, and no transaction of the group read or wrote the column after that. All versions
 * from the one that T1 read to the one that T3 replaced are known. It is none if the UPDATE reads
 * the column itself, or if its WHERE clause compares a column that was changed in between: then it
 * matched the newest version, as a check of a version number does.
 *
 * <p>Where the DBMS does not return what an UPDATE wrote (MySQL, MariaDB), its rows become known
 * when a later writers' list contains its token.
 *
 * <p>By value, what a statement read and wrote becomes {@link #known} when its transaction ends. A
 * read of which only bounds are known supersedes what its group had read before, and starts no
 * stale write.
 *
 * <p>What was not observed only hides stale writes. A statement without rows may have read a row
 * again, so its group's reads before it no longer count, and neither does a write of unknown
 * columns as the one that was lost.
 *
 * <p>Memory is bounded, mainly by {@link #MAX_READS} and {@link #MAX_ROWS_PER_GROUP}; a read counts
 * for {@link #MAX_AGE_EVENTS}.
 */
public final class StaleWrites {

  /** The rows that one trace or session has read; the row whose read is the oldest is evicted. */
  public static final int MAX_ROWS_PER_GROUP = 1 << 10;

  /** The same of all together; the trace or session that is idle for longest is evicted. */
  public static final int MAX_READS = 1 << 14;

  /** A read counts until so many further events have arrived. */
  public static final long MAX_AGE_EVENTS = 1 << 20;

  /** The UPDATEs whose rows are not known yet; the oldest is evicted. */
  private static final int MAX_UPDATES = 1 << 14;

  /** The reads and writes of active transactions; one with more is not observed in full. */
  private static final int MAX_STEPS = 1 << 16;

  /** Of more active transactions, or sessions, those that began first are evicted. */
  private static final int MAX_ACTIVE = 1 << 12;

  private static final int MAX_SESSIONS = 1 << 16;

  /** The texts of columns that are remembered in parsed form. */
  private static final int MAX_TEXTS = 1 << 10;

  private static final int MAX_TABLES = 1 << 12;

  private record Table(String scope, String name) {}

  /**
   * A session.
   *
   * @param isOpened false if its opening was not observed: the database of its rows is unknown
   */
  private record Session(String name, Database database, boolean isOpened) {

    static final Session UNKNOWN = new Session("", new Database(Product.UNKNOWN, Map.of()), false);
  }

  /** A read or write, until its transaction ends. */
  private record Step(
      ScopedRow row,
      RowAccess access,
      Optional<AccessedColumns.OfTable> columns,
      ObservedStatement by) {

    boolean isRead() {
      return access.access() == Access.READ;
    }

    /** Whether it is an UPDATE whose columns are known. */
    boolean isUpdate() {
      return by.kind() == StatementKind.UPDATE
          && (access.access() == Access.UPDATE || access.access() == Access.TARGET)
          && columns.isPresent();
    }

    ColumnSet read() {
      return columns.map(used -> ColumnSet.of(used.read())).orElse(ColumnSet.ALL);
    }
  }

  /** A statement whose rows are not known, or not yet. */
  private record Rowless(ObservedStatement by, String columns) {

    boolean isUpdate() {
      return by.kind() == StatementKind.UPDATE;
    }
  }

  /** An UPDATE of that kind, of a transaction that committed. */
  private record CommittedUpdate(
      Active transaction, Rowless update, Event.TransactionEnded end, long endedAt) {}

  /** An active transaction. */
  private static final class Active {
    final Event.TransactionBegan began;
    final String group;
    final Session session;
    final long beganAt;
    final List<Step> steps = new ArrayList<>();

    /** By number. */
    final Map<Integer, Rowless> rowless = new LinkedHashMap<>();

    int events = 1;

    /** A statement of it may have read or written rows that were not observed. */
    boolean isGapped;

    /** An event of it was lost, or may have been. */
    boolean isLossy;

    Active(Event.TransactionBegan began, String group, Session session, long beganAt) {
      this.began = began;
      this.group = group;
      this.session = session;
      this.beganAt = beganAt;
      this.isGapped = !began.share().isAll();
    }
  }

  private final Across across;
  private final boolean isRowTheItem;
  private final Consumer<StaleWrite> out;
  private final LinkedHashMap<Long, Session> sessions = new LinkedHashMap<>();
  private final LinkedHashMap<Long, Active> active = new LinkedHashMap<>();

  /** The reads, writes and statements without rows of all active transactions. */
  private int steps;

  /** In the order of their last reads. */
  private final LinkedHashMap<ScopedRow, RowHistory> rows = new LinkedHashMap<>();

  /** The rows that each group has read, in the order of the last reads of groups and of rows. */
  private final LinkedHashMap<String, LinkedHashMap<ScopedRow, Boolean>> groups =
      new LinkedHashMap<>();

  private final LinkedHashMap<Token, CommittedUpdate> updates = new LinkedHashMap<>();
  private final Map<String, AccessedColumns> texts = new HashMap<>();

  /** When each table's rows were last written without being known, on the clock of events. */
  private final Map<Table, Long> hiddenWrites = new HashMap<>();

  private int reads;
  private long clock;

  /**
   * Emits each stale write to {@code out}, from within {@link #accept} and {@link #known}.
   *
   * @param across which transactions belong together
   */
  public StaleWrites(Across across, Granularity granularity, Consumer<StaleWrite> out) {
    this.across = across;
    this.isRowTheItem = granularity == Granularity.ROW;
    this.out = out;
  }

  /** Processes an event. Events of one session must arrive in the order in which they happened. */
  public void accept(Event event) {
    clock++;
    if (event instanceof Event.StatementExecuted e) {
      executed(e);
    } else if (event instanceof Event.TransactionBegan e) {
      if (active.containsKey(e.transaction())) {
        return; // its level is not known any more, which is of no account here
      }
      Session session = sessions.getOrDefault(e.session(), Session.UNKNOWN);
      String group = across.group(e.session(), e.traceId());
      active.put(e.transaction(), new Active(e, group, session, clock));
      if (active.size() > MAX_ACTIVE) {
        release(active.remove(active.keySet().iterator().next()));
      }
    } else if (event instanceof Event.TransactionEnded e) {
      ended(e);
    } else if (event instanceof Event.StatementsUndone e) {
      undone(e);
    } else if (event instanceof Event.SessionOpened e) {
      sessions.put(e.session(), new Session(e.name(), e.database(), true));
      if (sessions.size() > MAX_SESSIONS) {
        sessions.remove(sessions.keySet().iterator().next());
      }
    } else if (event instanceof Event.SessionClosed e) {
      closed(e.session());
    } else if (event instanceof Event.Gap e) {
      gap(e);
    }
  }

  /** Forgets everything except the sessions: what follows may be related to nothing before. */
  public void restart() {
    active.values().forEach(transaction -> transaction.isLossy = true);
    rows.clear();
    groups.clear();
    updates.clear();
    hiddenWrites.clear();
    reads = 0;
  }

  private void closed(long session) {
    sessions.remove(session);
    if (across == Across.SESSION) {
      forget(Long.toString(session));
    }
  }

  private void executed(Event.StatementExecuted event) {
    Active transaction = active.get(event.transaction());
    if (transaction == null) {
      return;
    }
    transaction.events++;
    if (!event.succeeded()) {
      return;
    }
    if (!transaction.session.isOpened()) {
      transaction.isGapped = true; // it may have read any row again
      return;
    }
    ObservedStatement statement =
        new ObservedStatement(event.statement(), event.kind(), event.sql(), event.callSite());
    for (RowAccess access : event.rows()) {
      used(transaction, statement, event.columns(), access);
    }
    Rowless rowless = new Rowless(statement, event.columns());
    boolean isUnreturned =
        rowless.isUpdate() && event.rows().stream().noneMatch(access -> access.access().isWrite());
    boolean mayBecomeKnown = event.rows().isEmpty() && steps < MAX_STEPS / 2;
    if (isUnreturned ? hasRoomFor(transaction) : mayBecomeKnown && hasRoomFor(transaction)) {
      transaction.rowless.put(event.statement(), rowless);
    }
    evictOld();
  }

  /** Rows of a statement became known, before the end of its transaction arrives. */
  public void known(long id, int number, List<KnownRow> rows) {
    Active transaction = active.get(id);
    if (transaction == null) {
      return;
    }
    Rowless statement = transaction.rowless.get(number);
    if (statement == null || !transaction.session.isOpened()) {
      transaction.isLossy = true;
      return;
    }
    for (KnownRow row : rows) {
      String columns = row.columns().orElse(statement.columns());
      RowAccess access = row.access();
      boolean isExact = row.bound() == KnownRow.Bound.EXACT;
      used(transaction, statement.by(), columns, isExact ? access : uncertain(access));
    }
    if (rows.stream().anyMatch(row -> row.access().access().isWrite())) {
      transaction.rowless.remove(number);
      steps--;
    }
    evictOld();
  }

  private static RowAccess uncertain(RowAccess access) {
    return new RowAccess(access.access(), access.table(), access.row(), access.writers(), false);
  }

  /**
   * An active transaction read or wrote rows that will not become known.
   *
   * @param tables where it may have made versions that are between those in writers' lists: what
   *     was read there before counts no more; {@link VersionResolver.Listener#ALL_TABLES} if
   *     anywhere
   */
  public void unresolved(long id, Set<String> tables) {
    Active transaction = active.get(id);
    if (transaction != null) {
      transaction.isGapped = true;
      for (String table : tables) {
        if (hiddenWrites.size() == MAX_TABLES) {
          restart();
        }
        hiddenWrites.put(new Table(transaction.session.database().scope(), table), clock);
      }
    }
  }

  /** When a version of a table's rows that is not known may have been made last. */
  private long lastHiddenWrite(ScopedRow row) {
    return Math.max(
        hiddenWrites.getOrDefault(new Table(row.scope(), row.table()), -1L),
        hiddenWrites.getOrDefault(
            new Table(row.scope(), VersionResolver.Listener.ALL_TABLES), -1L));
  }

  /** An active transaction's statement read or wrote a row. */
  private void used(
      Active transaction, ObservedStatement statement, String columns, RowAccess access) {
    ScopedRow key =
        new ScopedRow(transaction.session.database().scope(), access.table(), access.row());
    boolean isRead = access.access() == Access.READ;
    RowHistory row = rows.get(key);
    if (row == null && isRead && !transaction.group.isEmpty()) {
      row = new RowHistory(isRowTheItem);
      rows.put(key, row);
      row.lastReadAt = clock;
    }
    if (row != null) {
      learn(key, row, access.writers());
      row.examine(found -> report(found, transaction.session.database(), key));
    }
    boolean isStep = isRead ? !transaction.group.isEmpty() : access.access().isWrite();
    if (isStep && hasRoomFor(transaction)) {
      transaction.steps.add(new Step(key, access, columns(columns, access.table()), statement));
    }
  }

  /** Whether there is memory for one more step of a transaction, which otherwise lacks it. */
  private boolean hasRoomFor(Active transaction) {
    boolean hasRoom = steps < MAX_STEPS;
    transaction.isLossy |= !hasRoom;
    steps += hasRoom ? 1 : 0;
    return hasRoom;
  }

  /** The steps of a transaction are needed no more. */
  private void release(@Nullable Active transaction) {
    if (transaction != null) {
      steps -= transaction.steps.size() + transaction.rowless.size();
      transaction.steps.clear();
      transaction.rowless.clear();
    }
  }

  /** Learns from a writers' list, also which UPDATEs wrote the row. */
  private void learn(ScopedRow key, RowHistory row, WriterList list) {
    row.learn(list);
    for (Token version : RowHistory.versions(list)) {
      CommittedUpdate committed = row.isKnown(version) ? null : updates.get(version);
      if (committed != null
          && committed.transaction().session.database().scope().equals(key.scope())) {
        add(key, row, version, committed, columns(committed.update().columns(), key.table()));
      }
    }
  }

  private Optional<AccessedColumns.OfTable> columns(String text, String table) {
    AccessedColumns known = texts.get(text);
    if (known == null) {
      known = AccessedColumns.parse(text);
      if (texts.size() == MAX_TEXTS) {
        texts.clear();
      }
      texts.put(text, known);
    }
    return known.of(table);
  }

  private void undone(Event.StatementsUndone event) {
    Active transaction = active.get(event.transaction());
    if (transaction != null) {
      transaction.events++;
      steps -= transaction.steps.size() + transaction.rowless.size();
      transaction.steps.removeIf(step -> !step.isRead() && isUndone(step.by(), event));
      transaction
          .rowless
          .values()
          .removeIf(statement -> statement.isUpdate() && isUndone(statement.by(), event));
      steps += transaction.steps.size() + transaction.rowless.size();
    }
  }

  private static boolean isUndone(ObservedStatement statement, Event.StatementsUndone by) {
    return statement.number() >= by.firstStatement() && statement.number() <= by.lastStatement();
  }

  private void gap(Event.Gap gap) {
    Active transaction = active.get(gap.transaction());
    if (transaction == null) {
      switch (gap.reason()) {
        case TOO_LARGE, NO_VERSION_SET -> {}
        default -> restart();
      }
      return;
    }
    switch (gap.reason()) {
      case TOO_LARGE, NO_VERSION_SET -> {}
      case OVERFLOW, TORN_RECORD, CUT_OFF, FORGOTTEN, BYPASS, FAULT -> transaction.isLossy = true;
      default -> transaction.isGapped = true;
    }
  }

  private void ended(Event.TransactionEnded event) {
    Active transaction = active.remove(event.transaction());
    if (transaction == null) { // it was not observed, and may be of any group
      restart();
      return;
    }
    transaction.isLossy |= event.events() > 0 && event.events() != transaction.events;
    if (event.outcome() == Outcome.COMMITTED && !transaction.isLossy) {
      remember(transaction, event);
    }
    Set<ScopedRow> accessed = new HashSet<>();
    for (Step step : transaction.steps) {
      accessed.add(step.row());
      if (step.isRead()) {
        read(transaction, step, event);
      } else if (event.outcome() == Outcome.COMMITTED && !transaction.isLossy) {
        wrote(transaction, step, event);
      }
    }
    for (ScopedRow key : accessed) {
      RowHistory row = rows.get(key);
      if (row != null) {
        row.examine(found -> report(found, transaction.session.database(), key));
      }
    }
    if (transaction.isGapped || transaction.isLossy) {
      forget(transaction.group);
    }
    release(transaction);
    evictOld();
  }

  private void remember(Active transaction, Event.TransactionEnded end) {
    for (Rowless update : transaction.rowless.values()) {
      if (update.isUpdate()) {
        updates.put(
            new Token(end.transaction(), update.by().number()),
            new CommittedUpdate(transaction, update, end, clock));
      }
      if (updates.size() > MAX_UPDATES) {
        updates.remove(updates.keySet().iterator().next());
      }
    }
  }

  private void read(Active transaction, Step step, Event.TransactionEnded end) {
    RowHistory known = rows.get(step.row());
    RowHistory row = known == null ? new RowHistory(isRowTheItem) : known; // evicted meanwhile
    learn(step.row(), row, step.access().writers());
    row.supersede(transaction.group, step.read(), clock);
    Optional<Token> version = RowHistory.version(step.access().writers());
    if (version.isPresent()
        && step.access().certain()
        && step.columns().isPresent()
        && transaction.beganAt > lastHiddenWrite(step.row())) {
      row.add(
          transaction.group,
          new Seen(version.get(), step.read(), observed(transaction, step.by(), end), clock));
      touch(transaction.group, step.row(), row);
    }
  }

  private void wrote(Active transaction, Step step, Event.TransactionEnded end) {
    RowHistory row = rows.get(step.row());
    WriterList list = step.access().writers();
    if (row == null || list.size() == 0 || step.access().access() == Access.DELETE) {
      return;
    }
    learn(step.row(), row, list);
    Token version = RowHistory.version(list).orElseThrow();
    if (list.transaction(list.size() - 1) != end.transaction()
        && step.access().access() == Access.TARGET) {
      return; // it changed nothing in the newest version, another transaction's
    }
    CommittedUpdate committed =
        new CommittedUpdate(transaction, new Rowless(step.by(), ""), end, clock);
    add(step.row(), row, version, committed, step.isUpdate() ? step.columns() : Optional.empty());
  }

  /**
   * Adds a committed write to the history of a row.
   *
   * @param columns the columns that an UPDATE used; empty if they are not known, or if it is none
   */
  private void add(
      ScopedRow key,
      RowHistory row,
      Token version,
      CommittedUpdate committed,
      Optional<AccessedColumns.OfTable> columns) {
    Active transaction = committed.transaction();
    ColumnSet written = columns.map(used -> ColumnSet.of(used.written())).orElse(ColumnSet.ALL);
    ColumnSet read = columns.map(used -> ColumnSet.of(used.read())).orElse(ColumnSet.ALL);
    row.add(
        new Write(
            version,
            transaction.group,
            columns.isPresent(),
            written,
            columns.map(used -> ColumnSet.of(used.predicate())).orElse(ColumnSet.ALL),
            observed(transaction, committed.update().by(), committed.end()),
            columns.isPresent() && !transaction.group.isEmpty() && !transaction.isGapped
                ? seenBefore(transaction, written.minus(read), key, row)
                : List.of()));
    if (!transaction.group.isEmpty()) {
      row.supersede(transaction.group, written, committed.endedAt());
    }
  }

  /** What earlier transactions of the group had seen of the columns that a write assigns. */
  private List<Seen> seenBefore(
      Active transaction, ColumnSet assigned, ScopedRow key, RowHistory row) {
    long lastHidden = lastHiddenWrite(key);
    List<Seen> before = new ArrayList<>();
    for (Seen one : row.seenBy(transaction.group)) {
      ColumnSet common =
          isRowTheItem && !assigned.isEmpty()
              ? one.columns()
              : one.columns().intersection(assigned);
      boolean isBefore = one.endedAt() < transaction.beganAt && one.endedAt() > lastHidden;
      if (isBefore && !common.isEmpty()) {
        before.add(new Seen(one.version(), common, one.by(), one.endedAt()));
      }
    }
    return before;
  }

  private static ObservedTransaction observed(
      Active transaction, ObservedStatement by, Event.TransactionEnded end) {
    return new ObservedTransaction(
        end.transaction(),
        transaction.session.name(),
        transaction.began.level(),
        Optional.of(end.outcome()),
        List.of(by),
        end.micros(),
        transaction.began.name(),
        transaction.began.traceId());
  }

  /** The group read the row now: neither is evicted before others. */
  private void touch(String group, ScopedRow key, RowHistory row) {
    row.lastReadAt = clock;
    rows.remove(key);
    rows.put(key, row);
    LinkedHashMap<ScopedRow, Boolean> ofGroup = groups.remove(group);
    ofGroup = ofGroup == null ? new LinkedHashMap<>() : ofGroup;
    groups.put(group, ofGroup);
    reads += ofGroup.remove(key) == null ? 1 : 0;
    ofGroup.put(key, true);
    if (ofGroup.size() > MAX_ROWS_PER_GROUP) {
      evict(group, ofGroup.keySet().iterator().next());
    }
    while (reads > MAX_READS) {
      forget(groups.keySet().iterator().next());
    }
  }

  private void evict(String group, ScopedRow key) {
    LinkedHashMap<ScopedRow, Boolean> ofGroup = groups.get(group);
    if (ofGroup != null && ofGroup.remove(key) != null) {
      reads--;
    }
    RowHistory row = rows.get(key);
    if (row != null) {
      row.forget(group);
    }
  }

  private void forget(String group) {
    LinkedHashMap<ScopedRow, Boolean> ofGroup = groups.get(group);
    if (ofGroup != null) {
      List.copyOf(ofGroup.keySet()).forEach(key -> evict(group, key));
      groups.remove(group);
    }
  }

  /** Evicts rows that no transaction has read for long, and the oldest if there are too many. */
  private void evictOld() {
    while (!rows.isEmpty()) {
      Map.Entry<ScopedRow, RowHistory> eldest = rows.entrySet().iterator().next();
      if (rows.size() <= MAX_READS && clock - eldest.getValue().lastReadAt <= MAX_AGE_EVENTS) {
        return;
      }
      rows.remove(eldest.getKey());
      for (String group : eldest.getValue().groups()) {
        LinkedHashMap<ScopedRow, Boolean> ofGroup = groups.get(group);
        if (ofGroup != null && ofGroup.remove(eldest.getKey()) != null) {
          reads--;
          if (ofGroup.isEmpty()) {
            groups.remove(group);
          }
        }
      }
    }
  }

  private void report(RowHistory.Found found, Database database, ScopedRow key) {
    out.accept(
        new StaleWrite(
            found.seen().by(),
            found.other().by(),
            found.write().by(),
            database,
            key.scope(),
            key.table(),
            key.row(),
            isRowTheItem ? List.of() : found.columns().sorted()));
  }

  /** The reads, writes and statements without rows of active transactions. */
  int steps() {
    return steps;
  }

  /** The reads that are remembered. */
  int reads() {
    return reads;
  }

  /** The rows that are remembered. */
  int rows() {
    return rows.size();
  }
}
