package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The versions of each row in order, learned from writers' lists, and the dependencies that follow.
 *
 * <p>A list is a window on the row's writers: each token's version replaced the one before it. The
 * list that comes with a version never changes, so a list is read back only to the first version
 * whose own list was read already. If lists contradict each other (one version replacing two
 * others), ids or lists are corrupt: the row is excluded from then on and counted.
 *
 * <p>The versions form a tree, since a later write may replace the same version as a vanished one.
 * The survivors of a version are the surviving versions that replaced it, directly or above
 * vanished ones only. Four things can happen, in any order, and each emits exactly the dependencies
 * that it completes: a version survives, a version vanishes, a link is learned, a reader commits.
 */
final class VersionChains {

  /** The rows of a statement between two checks of the memory. */
  private static final int ROWS_PER_MEMORY_CHECK = 64;

  /** If more rows of a table are contradictory, the whole table is skipped. */
  static final int MAX_BROKEN_ROWS = 1 << 12;

  /** The transactions that tokens name. */
  interface Writers {

    /** Finds or creates a transaction. */
    Transaction of(long id);

    /** Finds a transaction; null if there is none. */
    @Nullable Transaction existing(long id);

    /**
     * The DBMS gave that id to an observed transaction, or to the part of it that the statement
     * belongs to.
     */
    void identify(long id, Transaction transaction, int statement);

    /** Two observed transactions have that id: from now on no version is attributed by it. */
    void contest(long id);

    /** The observed transaction that has that id, or the one known only by it; null if none is. */
    @Nullable Transaction claimant(long id);

    /** A server gave that id to an observed transaction. */
    void given(long id);

    /**
     * Whether ids of today may have been another transaction's before: then only what a transaction
     * itself returned is attributed to it.
     */
    boolean idsMayRecur();
  }

  private final DependencyListener out;
  private final Writers writers;
  private final ShedRows shed;
  private final Footprint footprint;

  /** The limit of the memory within one statement. */
  private final long maxBytes;

  private final Map<String, Map<String, Table>> places = new HashMap<>();
  private final KnownRowNames.OfTables rowNames = new KnownRowNames.OfTables();
  private final VersionTable versions = new VersionTable();
  private final ChainPruning pruning = new ChainPruning(versions);
  private final PredicateReads predicates;
  private final RowDependencies dependencies;
  private final Granularity granularity;
  private long contradictions;

  private long now;

  /** The transaction whose statement is processed; most new versions are its own. */
  private @Nullable Transaction executingTransaction;

  /** The keys that its rows of the last table can have; null while that is not needed. */
  private @Nullable KeyBounds executingKeys;

  /** The table that was looked up last, and its database; most lookups repeat it. */
  private @Nullable Table lastTable;

  private String lastPlace = "";

  /**
   * Creates empty chains.
   *
   * @param shed of which rows accesses may be missing
   * @param footprint counts the memory
   * @param maxBytes the limit of the memory within one statement
   */
  VersionChains(
      DependencyListener out,
      Writers writers,
      ShedRows shed,
      Footprint footprint,
      long maxBytes,
      Granularity granularity) {
    this.out = out;
    this.writers = writers;
    this.shed = shed;
    this.footprint = footprint;
    this.maxBytes = maxBytes;
    this.granularity = granularity;
    this.predicates = new PredicateReads(out, this::version, shed);
    this.dependencies = new RowDependencies(out, this::nextSurvivor, true);
  }

  /** The key of a row became known. */
  void rowNamed(String place, String table, long row, String key) {
    rowNames.of(place, table).put(row, key);
  }

  /** The key of a row; empty if it is not known. */
  String rowKey(String place, String table, long row) {
    return rowNames.of(place, table).of(row);
  }

  /** A transaction has committed, and its writes and reads are settled. */
  void committed(Transaction transaction) {
    predicates.committed(transaction);
  }

  long contradictions() {
    return contradictions;
  }

  /**
   * Processes a statement.
   *
   * @param arrived when its event arrived
   * @return whether all its rows were processed; false if they exceed the memory
   */
  boolean executed(
      Transaction transaction, Event.StatementExecuted event, String place, long arrived) {
    executingTransaction = transaction;
    executingKeys = null;
    now = arrived;
    return accessRows(transaction, event, place)
        && (event.versionSets().isEmpty() || readVersionSets(transaction, event, place));
  }

  private boolean accessRows(Transaction transaction, Event.StatementExecuted event, String place) {
    List<RowAccess> rows = event.rows();
    for (int i = 0; i < rows.size(); i++) { // an iterator would be a new object for each event
      if (i % ROWS_PER_MEMORY_CHECK == ROWS_PER_MEMORY_CHECK - 1 && bytes() > maxBytes) {
        return false;
      }
      RowAccess access = rows.get(i);
      Table table = table(place, access.table());
      if (!table.broken) {
        access(transaction, event, access, table.row(access.row()));
      }
    }
    return true;
  }

  /**
   * Processes rows of an earlier statement.
   *
   * @param event the statement, without rows
   * @return as {@link #executed}
   */
  boolean known(
      Transaction transaction,
      Event.StatementExecuted event,
      List<KnownRow> rows,
      String place,
      long arrived) {
    executingTransaction = transaction;
    executingKeys = null;
    now = arrived;
    for (int i = 0; i < rows.size(); i++) {
      if (i % ROWS_PER_MEMORY_CHECK == ROWS_PER_MEMORY_CHECK - 1 && bytes() > maxBytes) {
        return false;
      }
      RowAccess access = rows.get(i).access();
      Table table = table(place, access.table());
      if (table.broken) {
        continue;
      }
      Row row = table.row(access.row());
      if (rows.get(i).bound() == KnownRow.Bound.EXACT) {
        access(transaction, event, access, row);
      } else {
        readBounded(transaction, event, rows.get(i), row);
      }
    }
    return true;
  }

  /**
   * A change matters to a query.
   *
   * @param place where the table is
   */
  void matters(Transaction reader, KnownChange change, String place) {
    Table table = table(place, change.table());
    Row row = table.broken ? null : table.row(change.row());
    Version version = row == null || row.broken ? null : learn(row, change.writers());
    if (version != null && change.deletion()) {
      version = deletionBy(change.writer(), version);
    }
    if (version != null) {
      predicates.matters(reader, change, version);
    }
  }

  private static @Nullable Version deletionBy(long writer, Version deleted) {
    for (Version next = deleted.firstNext; next != null; next = next.sibling) {
      if (next.deletion && next.writer != null && next.writer.id() == writer) {
        return next;
      }
    }
    return null;
  }

  private void readBounded(
      Transaction reader, Event.StatementExecuted event, KnownRow known, Row row) {
    Version version = row.broken ? null : learn(row, known.access().writers());
    if (version != null && version.writer != reader) {
      boolean atLeast = known.bound() == KnownRow.Bound.LOWER;
      ColumnBits.Used columns = row.owner().columns.of(event.columns());
      long sure = columns.read() & ~columns.unsure();
      reader.reads.add(new BoundedRead(version, reader, event.statement(), sure, atLeast));
      reader.addWeight(Footprint.READ);
    }
  }

  private boolean readVersionSets(
      Transaction transaction, Event.StatementExecuted event, String place) {
    for (VersionSet set : event.versionSets()) {
      // A partial set is useless: rows missing from it would look absent.
      long least = (long) set.size() * (Footprint.ROW + Footprint.VERSION);
      if (bytes() + least > maxBytes) {
        return false;
      }
      Table table = table(place, set.table());
      if (!table.broken) {
        predicates.read(transaction, event, set, table);
      }
    }
    return true;
  }

  private void access(
      Transaction transaction, Event.StatementExecuted event, RowAccess access, Row row) {
    int statement = event.statement();
    ColumnBits.Used columns = row.owner().columns.of(event.columns());
    if (access.access() == Access.TARGET) {
      boolean isOfOther = !row.broken && !isOwn(transaction, access.writers());
      Version newest = isOfOther ? learn(row, access.writers()) : null;
      if (!access.certain() || newest != null) {
        addTarget(transaction, row, statement, columns, access.certain() ? newest : null);
      }
      return;
    }
    if (access.access() == Access.INSERT || access.access() == Access.UPDATE) {
      identify(transaction, statement, access.writers());
      if (writers.idsMayRecur() && !row.broken) {
        claim(transaction, row, access.writers());
      }
    }
    Version version = row.broken ? null : learn(row, access.writers());
    if (version == null) {
      return;
    }
    switch (access.access()) {
      case READ -> {
        long unsure = access.certain() ? columns.unsure() : columns.read();
        read(transaction, statement, version, true, columns.read() & ~unsure);
        read(transaction, statement, version, false, columns.read() & unsure);
      }
      case INSERT, UPDATE -> {
        if (version.writer == transaction) {
          version.insertion |= access.access() == Access.INSERT;
          version.statement = statement;
          version.firstStatement = Math.min(version.firstStatement, statement);
          version.add(columns);
          version.add(keys(transaction, event, version));
          recordWrite(transaction, version);
          if (access.access() == Access.UPDATE
              && version.hasIdByDbms()
              && version.previous == null) {
            addTarget(transaction, row, statement, columns, null);
          }
        }
      }
      case DELETE -> {
        Version deletion = version(row, transaction.id(), statement);
        deletion.deletion = true;
        deletion.add(keys(transaction, event, deletion));
        if (link(deletion, version) && access.certain()) {
          recordWrite(transaction, deletion);
        }
      }
      case SKIPPED_BY_DELETE ->
          skippedByDelete(transaction, statement, version, columns.predicate());
      case MISSED_BY_DELETE -> {
        if (!MissedByDelete.mayHaveBeenThere(event, access)) {
          missedByDelete(transaction, statement, version, columns.predicate());
        }
      }
      case TARGET -> {}
    }
  }

  private static boolean isOwn(Transaction transaction, WriterList list) {
    return list.size() > 0 && list.transaction(list.size() - 1) == transaction.id();
  }

  /** The keys that the row of a version can have before and after a statement wrote it. */
  private KeyBounds keys(Transaction transaction, Event.StatementExecuted event, Version version) {
    Table table = version.row.owner();
    KeyBounds keys = executingKeys;
    if (keys == null) {
      keys = KeyBounds.of(transaction, event.keyValues(), table.name);
      executingKeys = keys;
    }
    return event.kind() == StatementKind.UPDATE
        ? keys.without(version.columns == 0 ? ColumnBits.ALL : version.columns, table.columns)
        : keys;
  }

  private void addTarget(
      Transaction transaction,
      Row row,
      int statement,
      ColumnBits.Used columns,
      @Nullable Version after) {
    transaction.targets.add(new KeyedWrites.Target(row, statement, now, columns, after));
    transaction.addWeight(Footprint.TARGET);
  }

  /** The memory of rows, versions and predicate reads, and all that transactions account for. */
  long bytes() {
    return footprint.bytes() + (long) Footprint.VERSION * versions.size() + predicates.weight();
  }

  /** The last token of a write is its own, so an id that the DBMS gave is its transaction's. */
  private void identify(Transaction transaction, int statement, WriterList list) {
    int last = list.size() - 1;
    if (last < 0 || list.statement(last) != WriterToken.BY_DBMS) {
      return;
    }
    identify(transaction, statement, list.transaction(last));
  }

  /**
   * Attributes to a transaction what its own statement wrote. A version with its id that it
   * replaced before it wrote the row may be an older transaction's: the row is excluded.
   */
  private void claim(Transaction transaction, Row row, WriterList list) {
    int last = list.size() - 1;
    if (last < 0
        || list.statement(last) != WriterToken.BY_DBMS
        || writers.claimant(list.transaction(last)) != transaction) {
      return;
    }
    Version version = version(row, list.transaction(last), WriterToken.BY_DBMS);
    if (!version.certain && last > 0 && list.transaction(0) == list.transaction(last)) {
      markBroken(row);
    } else if (version.writer != null && version.writer != transaction) {
      version.writer.writes.remove(version);
      bind(version, transaction);
    }
  }

  /**
   * The DBMS gave an id to a transaction.
   *
   * @param statement a statement that wrote under it; 0 if it is the id of the whole transaction
   */
  void identify(Transaction transaction, int statement, long id) {
    Transaction before = writers.claimant(id);
    if (before == transaction || before != null && before.isContested) {
      return;
    }
    if (before != null && before.observed) {
      writers.contest(id);
      return;
    }
    writers.given(id);
    List<Version> written =
        before == null || writers.idsMayRecur() ? List.of() : List.copyOf(before.writes);
    writers.identify(id, transaction, statement);
    written.forEach(version -> bind(version, transaction));
    written.forEach(VersionChains::unlinkFromOwn);
  }

  /** Takes back an order that was learned before both versions were known to be of one writer. */
  private static void unlinkFromOwn(Version version) {
    Version lower = version.previous;
    if (lower != null && lower.writer == version.writer) {
      version.unlinkPrevious();
    }
    Version next = version.firstNext;
    while (next != null) {
      Version sibling = next.sibling;
      if (next.writer == version.writer) {
        next.unlinkPrevious();
      }
      next = sibling;
    }
  }

  private static void recordWrite(Transaction transaction, Version version) {
    version.certain = true;
    transaction.addOwnWrite(version);
  }

  private static void read(
      Transaction reader, int statement, Version version, boolean certain, long columns) {
    Version own = reader.ownWrite(version.row);
    if (certain
        && own != null
        && own != version
        && own.statement < statement
        && (columns & ownAbove(version, own)) != 0) {
      reader.internalReads.add(new Transaction.InternalRead(own, version, statement));
      reader.addWeight(Footprint.INTERNAL_READ);
    }
    boolean isOwn = version.writer == reader;
    long ofOthers = columns;
    if (isOwn) {
      version.columnsOfItsStatement();
      ofOthers &= ~version.written();
    }
    if (ofOthers != 0) {
      reader.reads.add(
          new Read(
              version,
              reader,
              statement,
              certain ? EdgeEvidence.ITEM : EdgeEvidence.POSSIBLE_ITEM,
              ofOthers,
              isOwn));
      reader.addWeight(Footprint.READ);
    }
  }

  /** The columns that a transaction is known to have written in later versions, within a window. */
  private static long ownAbove(Version lower, Version own) {
    long written = 0;
    Version version = own;
    for (int i = 0; i < 2 * WriterList.WINDOW && version != null; i++) {
      if (version == lower) {
        return written;
      }
      if (version.writer == own.writer) {
        version.columnsOfItsStatement();
        written |= version.surelyWritten();
      }
      version = version.previous;
    }
    return 0;
  }

  private static void skippedByDelete(
      Transaction reader, int statement, Version version, long predicate) {
    if (version.writer != reader) {
      reader.reads.add(new SkippedByDelete(version, reader, statement, predicate));
      reader.addWeight(Footprint.READ);
    }
  }

  private static void missedByDelete(
      Transaction reader, int statement, Version version, long predicate) {
    if (version.writer != reader) {
      reader.reads.add(new MissedByDelete(version, reader, statement, predicate));
      reader.addWeight(Footprint.READ);
    }
  }

  /**
   * Sets the fate of a version whose writer ended, and emits what follows for its neighbors and
   * readers.
   */
  void settle(Version version, Fate fate) {
    version.resolveColumns();
    version.fate = fate;
    if (fate == Fate.SURVIVED) {
      predicates.appeared(version);
    }
    dependencies.settled(version);
  }

  /** Emits what follows from a read whose reader committed. */
  void settle(Read read) {
    dependencies.settled(read);
  }

  /** The number of pairs of neighbors in a row's history that only the row connects. */
  long rowLevelDependencies() {
    return dependencies.rowLevel();
  }

  /** Records a survivor and the next one, and reports another next one. */
  private void nextSurvivor(Version version, Version survivor) {
    Transaction to = survivor.writer;
    boolean unordered = version.hasIdByDbms() && version.writer == to;
    if (survivor.row.broken || to == null || unordered) {
      return;
    }
    if (version.writer != null && version.writer != to) {
      inferLostRead(version, version.writer, survivor, to);
    }
    if (survivor.isDoubtful()) {
      return;
    }
    Version successor = version.successor;
    if (successor == null) {
      version.successor = survivor;
    } else if (successor != survivor && successor.writer != to) {
      reportFork(version, successor, survivor);
    }
  }

  /** Emits that the writer of a version had read an earlier one than that which it replaced. */
  private void inferLostRead(
      Version version, Transaction writer, Version survivor, Transaction reader) {
    if (version.hasIdByDbms() && version.previous == null && !version.cut && writer.observed) {
      UnwatchedWriters.lostRead(version, survivor)
          .filter(read -> (read.columns & version.written()) != 0)
          .ifPresent(
              read ->
                  out.dependency(
                      new Edge(
                          reader,
                          writer,
                          DependencyKind.RW,
                          version.row,
                          read.statement,
                          version.statement,
                          version.evidenceOf(read),
                          read.columns & version.written())));
    }
  }

  /**
   * Handles two surviving next versions of one version. For the initial version, which has no
   * token, the likelier cause is a table that was recreated with the same row ids.
   */
  private void reportFork(Version version, Version one, Version other) {
    if (version.writer == null) {
      markBroken(version.row);
    } else if (one.writer != null && other.writer != null && one.certain && other.certain) {
      boolean inOrder = Long.compareUnsigned(one.writer.id(), other.writer.id()) < 0;
      Version first = inOrder ? one : other;
      Version second = inOrder ? other : one;
      if (first.writer != null && second.writer != null) {
        out.forkedWrite(
            first.writer, second.writer, version.row, first.statement, second.statement);
      }
    }
  }

  /** The version that a list names; null if the list is empty or contradicts others. */
  private @Nullable Version learn(Row row, WriterList list) {
    int i = list.size() - 1;
    if (i < 0) {
      return list.complete() ? row.initial : null;
    }
    Version named = version(row, list.transaction(i), list.statement(i));
    if (named.hasIdByDbms()) {
      return learnReplaced(named, list) ? named : markBroken(row);
    }
    if (named.listed) {
      return agrees(named, list) ? named : markBroken(row);
    }
    boolean learnt = learnBelow(named, list);
    row.latest = named;
    return learnt ? named : null;
  }

  /**
   * Links a version with an id by its DBMS to the one that it replaced, if the list names that;
   * false if that contradicts what is known. Such a list has two tokens at most. The versions of
   * one transaction are not put in order: it may write under an id again after it wrote under
   * another.
   */
  private boolean learnReplaced(Version named, WriterList list) {
    if (list.size() < 2 || list.transaction(0) == 0) {
      return true;
    }
    Version lower = version(named.row, list.transaction(0), list.statement(0));
    return lower.writer == named.writer || named.cut || link(named, lower);
  }

  /** Links the versions below a version by its own list; false if that contradicts other lists. */
  private boolean learnBelow(Version named, WriterList list) {
    Row row = named.row;
    named.listed = true;
    Version upper = named;
    for (int i = list.size() - 2; i >= 0; i--) {
      Version lower = version(row, list.transaction(i), list.statement(i));
      if (lower == upper) {
        continue;
      }
      if (upper.cut) {
        return true;
      }
      if (!link(upper, lower)) {
        return false;
      }
      if (lower.listed) {
        return true;
      }
      upper = lower;
    }
    return !list.complete() || upper.cut || link(upper, row.initial);
  }

  int versions() {
    return versions.size();
  }

  /** Concludes what follows from a writer that is not watched. */
  void concludeUnwatched(Transaction writer) {
    UnwatchedWriters.conclude(writer, shed, out);
  }

  void discarded(Transaction transaction) {
    pruning.discarded(transaction);
  }

  /**
   * Removes what is no longer needed, except versions mentioned at a time or later.
   *
   * @param atOnce whether to remove also what is retained only to save work
   */
  void prune(long since, long clock, boolean atOnce) {
    List<Table> tables = new ArrayList<>();
    places.values().forEach(place -> tables.addAll(place.values()));
    predicates.prune(tables);
    pruning.prune(tables, since, clock, atOnce);
    removeEmptyTables();
  }

  /** Whether a list read again names the same previous version. */
  private static boolean agrees(Version version, WriterList list) {
    int i = list.size() - 1;
    while (i >= 0 && version.is(list.transaction(i), list.statement(i))) {
      i--;
    }
    if (version.cut) {
      return true;
    }
    if (version.previous == null) {
      return i < 0;
    }
    if (i < 0) {
      return !list.complete() || version.previous == version.row.initial;
    }
    return version.previous.is(list.transaction(i), list.statement(i));
  }

  private boolean link(Version upper, Version lower) {
    if (upper.previous != null) {
      return upper.previous == lower || markBroken(upper.row) != null;
    }
    if (upper.firstNext != null) {
      for (Version version = lower; version != null; version = version.previous) {
        if (version == upper) {
          return markBroken(upper.row) != null;
        }
      }
    }
    upper.setPrevious(lower);
    dependencies.linked(upper, lower);
    return true;
  }

  private @Nullable Version markBroken(Row row) {
    if (!row.broken) {
      row.broken = true;
      contradictions++;
      Table table = row.owner();
      if (++table.brokenRows > MAX_BROKEN_ROWS && !table.broken) {
        excludeTable(table);
      }
    }
    return null;
  }

  /**
   * Excludes a table. Up to this point contradictory rows were retained, so that they are
   * recognized; that must be bounded.
   */
  private static void excludeTable(Table table) {
    table.broken = true;
    List<Row> rows = new ArrayList<>();
    table.rows.forEach(rows::add);
    for (Row row : rows) {
      row.broken = true;
      ChainPruning.drop(row);
    }
  }

  private void removeEmptyTables() {
    for (Iterator<Map<String, Table>> all = places.values().iterator(); all.hasNext(); ) {
      Map<String, Table> tables = all.next();
      int before = tables.size();
      tables.values().removeIf(Table::isEmpty);
      footprint.release((long) Footprint.TABLE * (before - tables.size()));
      if (tables.isEmpty()) {
        all.remove();
      }
    }
    lastTable = null;
  }

  private Version version(Row row, long transaction, int statement) {
    Version latest = row.latest;
    if (latest != null && latest.is(transaction, statement)) {
      return named(latest);
    }
    Version version = versions.get(row, transaction, statement);
    if (version == null) {
      Transaction writer =
          executingTransaction != null && executingTransaction.id() == transaction
              ? executingTransaction
              : writers.of(transaction);
      version = new Version(row, writer, transaction, statement);
      versions.put(version);
      row.versions++;
      bind(version, writer);
    }
    if (statement != WriterToken.MAX_STATEMENT) {
      row.latest = version;
    }
    return named(version);
  }

  private void bind(Version version, Transaction writer) {
    version.writer = writer;
    version.fate = Fate.OPEN;
    writer.writes.add(version);
    if (version.number == WriterToken.MAX_STATEMENT || !writer.isObservedWrite(version)) {
      return;
    }
    if (writer.outcome == Outcome.ABORTED) {
      version.resolveColumns();
      version.fate = Fate.VANISHED;
    } else if (writer.readsCount && (version.isUndone() || !writer.mayHaveFailedToWrite(version))) {
      version.resolveColumns();
      version.fate = version.isUndone() ? Fate.VANISHED : Fate.SURVIVED;
      if (version.fate == Fate.SURVIVED) {
        predicates.appeared(version);
      }
    }
  }

  /**
   * Notes the mention of a version, and binds it to its writer again if that was discarded too
   * early.
   */
  private Version named(Version version) {
    version.lastMentionedAt = now;
    Transaction writer = version.writer;
    if (writer != null && writer.discarded && !writer.observed) {
      Transaction since = writers.existing(version.writerId);
      if (since != null) {
        version.listed &= !version.cut;
        version.cut = false;
        bind(version, since);
      }
    }
    return version;
  }

  private Table table(String place, String name) {
    Table last = lastTable;
    if (last == null || !last.name.equals(name) || !lastPlace.equals(place)) {
      last =
          places
              .computeIfAbsent(place, p -> new HashMap<>())
              .computeIfAbsent(
                  name,
                  n -> {
                    footprint.add(Footprint.TABLE);
                    return new Table(n, footprint, granularity, rowNames.of(place, n));
                  });
      lastTable = last;
      lastPlace = place;
      executingKeys = null;
    }
    return last;
  }
}
