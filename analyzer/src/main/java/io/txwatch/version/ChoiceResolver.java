package io.txwatch.version;

import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RowChoice;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatementKind;
import io.txwatch.rules.DbmsRules;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the dependencies between queries that chose rows by conditions and the changes of rows of
 * the same table: Adya's predicate dependencies (1999, section 4.3), and those of rows that were
 * chosen and of which the result shows no key, as those of an aggregate.
 *
 * <p>A change of a row matters to a query if what the query read of the row would be something else
 * without the change, if that was made before, or with it, if it was made afterwards: the condition
 * would have another value ({@link ConditionValue}), or the row is chosen with another value of a
 * column that the query uses. The columns are the items: of a change made before, what others wrote
 * later does not count; one made afterwards is supposed without those between. Changes that may
 * have been made while the query ran count for neither. Each pair of transactions is considered
 * when the second one has passed, for which the queries of the first one are kept.
 */
final class ChoiceResolver {

  private static final int MAX_KEPT_PER_TABLE = 256;
  private static final int MAX_CHANGES_PER_TABLE = 512;
  private static final int MAX_TABLES = 256;

  /** A change may be read from the record before its COMMIT has returned, by so much. */
  private static final long RECORDED_LATE = 100_000_000L;

  /** Receives dependencies, each once its transactions have passed. */
  interface Listener {

    /**
     * A change of a row matters to a query.
     *
     * @param version the version that the change made
     * @param before whether the query read after the change
     * @param chosen whether the query had chosen the row
     */
    void matters(
        TimedTransaction reader,
        TimedStatement query,
        RowVersion version,
        boolean before,
        boolean chosen);
  }

  /** A query of a transaction that has passed. */
  private record Query(
      TimedTransaction reader,
      TimedStatement statement,
      RowChoice choice,
      ConditionValue condition,
      Window window,
      Set<Long> shown) {}

  /** Of the tables that were queried last. */
  private final Map<String, ArrayDeque<Query>> queries = new LinkedHashMap<>(16, 0.75f, true);

  /** Of the tables that were changed last. */
  private final Map<String, ArrayDeque<RowVersion>> changes = new LinkedHashMap<>(16, 0.75f, true);

  private final ColumnPlaces places = new ColumnPlaces();
  private final int maxChanges;
  private int changesKept;

  /** Keeps so many changes at most. */
  ChoiceResolver(int maxChanges) {
    this.maxChanges = maxChanges;
  }

  /** A change was recorded. */
  void changed(RowVersion version) {
    ArrayDeque<RowVersion> ofTable =
        changes.computeIfAbsent(version.row.table, table -> new ArrayDeque<>());
    ofTable.addLast(version);
    changesKept++;
    if (ofTable.size() > MAX_CHANGES_PER_TABLE) {
      ofTable.removeFirst();
      changesKept--;
    }
    while (changesKept > maxChanges) {
      changesKept -= removeEldest(changes);
    }
  }

  private static <T> int removeEldest(Map<String, ArrayDeque<T>> tables) {
    Iterator<ArrayDeque<T>> eldest = tables.values().iterator();
    int size = eldest.next().size();
    eldest.remove();
    return size;
  }

  void clear() {
    queries.clear();
    changes.clear();
    changesKept = 0;
  }

  /**
   * A transaction passes: all that is recorded up to its end is known.
   *
   * @param needed transactions that ended earlier overlap with none that is active, nor with this
   *     one
   */
  void passed(
      TimedTransaction transaction, DbmsRules rules, long skew, long needed, Listener listener) {
    RecordedTransaction recorded = transaction.recorded;
    if (recorded != null) {
      for (RowVersion version : recorded.versions) {
        if (version.isLastOfWriter()) {
          for (Query query : queries(version.row.table, needed)) {
            compare(query, version.row, transaction, listener);
          }
        }
      }
    }
    long since = Window.minus(Math.min(transaction.horizon, transaction.began()), RECORDED_LATE);
    for (TimedStatement statement : transaction.statements) {
      for (RowChoice choice : statement.choices) {
        if (isUsable(transaction, statement)) {
          Query query = query(transaction, statement, choice, rules, skew);
          changedSince(since, choice.table()).forEach(row -> compare(query, row, null, listener));
          ArrayDeque<Query> kept = queries(choice.table(), needed);
          if (kept.size() >= MAX_KEPT_PER_TABLE) {
            kept.removeFirst();
          }
          kept.addLast(query);
          queries.put(choice.table(), kept);
          if (queries.size() > MAX_TABLES) {
            removeEldest(queries);
          }
        }
      }
    }
  }

  /** The rows that were changed after a time, or about then. */
  private Set<RowChain> changedSince(long time, String table) {
    Set<RowChain> rows = new LinkedHashSet<>();
    ArrayDeque<RowVersion> ofTable = changes.get(table);
    if (ofTable != null) {
      for (Iterator<RowVersion> last = ofTable.descendingIterator(); last.hasNext(); ) {
        RowVersion version = last.next();
        if (version.by != null && version.by.received < time) {
          break;
        }
        rows.add(version.row);
      }
    }
    return rows;
  }

  /** The queries of a table that may have overlapped with an active transaction. */
  private ArrayDeque<Query> queries(String table, long needed) {
    ArrayDeque<Query> kept = queries.getOrDefault(table, new ArrayDeque<>());
    while (!kept.isEmpty() && kept.getFirst().reader.end.returned() < needed) {
      kept.removeFirst();
    }
    return kept;
  }

  /** Whether it is known what the transaction itself had written when the statement ran. */
  private static boolean isUsable(TimedTransaction transaction, TimedStatement query) {
    if (!query.timed
        || !transaction.level.isKnown()
        || transaction.level == IsolationLevel.READ_UNCOMMITTED) {
      return false;
    }
    RecordedTransaction recorded = transaction.recorded;
    for (TimedStatement statement : transaction.statements) {
      if (statement.number >= query.number) {
        return true;
      }
      boolean wasUndone = statement.undone && statement.undoneThrough >= query.number;
      boolean isKnown = recorded != null && !recorded.doubtful || statement.changedNothing;
      if (statement.mayWrite && (wasUndone || !statement.undone && !isKnown)) {
        return false;
      }
    }
    return true;
  }

  private Query query(
      TimedTransaction reader,
      TimedStatement statement,
      RowChoice choice,
      DbmsRules rules,
      long skew) {
    Set<Long> shown = new HashSet<>();
    for (RowValues rows : statement.reads) {
      if (rows.table().equals(choice.table())) {
        for (long key : rows.keys()) {
          shown.add(key);
        }
      }
    }
    return new Query(
        reader,
        statement,
        choice,
        new ConditionValue(choice.condition(), choice.constants(), places),
        window(reader, statement, choice.table(), rules).widened(skew),
        shown);
  }

  /**
   * When the rows were current from which a query chose. A query whose condition is true for some
   * row has read the table, so a snapshot was taken by then.
   */
  private static Window window(
      TimedTransaction transaction, TimedStatement statement, String table, DbmsRules rules) {
    Window window = ReadResolver.window(transaction, statement, table, rules);
    return statement.kind == StatementKind.SELECT && window.sent() < statement.window.sent()
        ? new Window(window.sent(), Math.min(window.returned(), statement.window.returned()))
        : window;
  }

  // ---------------------------------------------------------------- one row

  /**
   * Compares a query with the versions of a row.
   *
   * @param only the writer whose changes are looked for; null for all that have passed
   */
  private static void compare(
      Query query, RowChain row, @Nullable TimedTransaction only, Listener listener) {
    boolean isKnown = query.shown.contains(row.key); // by its values
    if (isKnown || row.versions.isEmpty() || row.keptSince > query.window.sent()) {
      return;
    }
    if (query.condition.isTrueForNone(row.versions)) {
      return; // whatever the query read
    }
    RowStates states =
        RowStates.of(query.choice, query.condition, row, query.reader, query.statement);
    if (states == null) {
      return;
    }
    int first = states.first(query.window);
    int last = states.last(query.window);
    if (query.choice.showsKeys()) { // it was not chosen
      while (first <= last && states.matches(first)) {
        first++;
      }
      while (first <= last && states.matches(last)) {
        last--;
      }
    }
    if (last < first) {
      return; // the record contradicts itself
    }
    boolean isChosen = true;
    for (int i = first; i <= last; i++) {
      isChosen &= states.matches(i);
    }
    for (int i = 1; i < states.size(); i++) {
      RowVersion version = states.version(i);
      boolean before = i <= first;
      if (version != null
          && (before || i > last)
          && isOf(version, query, only)
          && matters(states, i, first, last)) {
        listener.matters(query.reader, query.statement, version, before, isChosen);
      }
    }
  }

  /** Whether a change matters, whichever of some states the query read. */
  private static boolean matters(RowStates states, int change, int first, int last) {
    for (int read = first; read <= last; read++) {
      if (!states.matters(change, read)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOf(RowVersion version, Query query, @Nullable TimedTransaction only) {
    TimedTransaction writer = version.by == null ? null : version.by.writer;
    return writer != null
        && writer != query.reader
        && (only == null ? writer.passed : writer == only);
  }
}
