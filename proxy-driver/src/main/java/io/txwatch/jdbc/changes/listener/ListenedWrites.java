package io.txwatch.jdbc.changes.listener;

import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.sqlite.RowIdListener;
import io.txwatch.changes.sqlite.RowIdListener.RowIdChange;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Access;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import io.txwatch.jdbc.changes.ChangeReading;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a connection to SQLite writes, as the driver's listener gives them: those of
 * predicates, triggers, cascades and INSERT … ON CONFLICT, too, which no statement states. Which
 * row it is, is known if the row id is the key (INTEGER PRIMARY KEY).
 *
 * <p>All rows of a statement are known if SQLite has counted no others, or if the others are its
 * own and it states them (WITHOUT ROWID). The rows of a batch are each item's if no item wrote
 * others than those in its update count.
 */
final class ListenedWrites implements ChangeReading {

  /** Anywhere in a text, be it the function of that name: then an INSERT may replace a row. */
  private static final Pattern REPLACES =
      Pattern.compile("\\breplace\\b", Pattern.CASE_INSENSITIVE);

  /** Nothing is stated: rows of any table may have been written. */
  private static final List<StatedWrite> UNKNOWN = List.of();

  private final RowIdListener listener;
  private final JdbcCatalog catalog;
  private final ValueHash hash = ValueHash.ofThisProcess();

  private final Map<List<String>, Target> targets = new HashMap<>();
  private long targetsVersion = -1;

  private boolean isBatch;

  /** All rows of a batch; null if some are not known. */
  private @Nullable List<RowIdChange> batch;

  private boolean isSplit;
  private boolean isTaken = true;

  /** How many of a batch's rows are those of earlier items. */
  private int taken;

  ListenedWrites(RowIdListener listener, JdbcCatalog catalog) {
    this.listener = listener;
    this.catalog = catalog;
  }

  /**
   * A table that was written.
   *
   * @param name as histories show it
   * @param hasRowIdKey true if the row id is the key
   */
  private record Target(String name, boolean hasRowIdKey) {}

  /** A row of a table. */
  private record Row(Target target, long rowId) {}

  /** What happened to a row, first and last. */
  private static final class Fate {
    private final ChangedRow.Kind first;
    private ChangedRow.Kind last;
    private int changes;

    Fate(ChangedRow.Kind first) {
      this.first = first;
      this.last = first;
    }

    /** What is left of it for others. */
    List<Access> accesses(boolean replaces) {
      boolean was = first != ChangedRow.Kind.INSERT || replaces;
      boolean is = last != ChangedRow.Kind.DELETE;
      if (!was) {
        return is ? List.of(Access.INSERT) : List.of();
      } else if (!is) {
        return List.of(Access.DELETE);
      }
      return first == ChangedRow.Kind.DELETE
          ? List.of(Access.DELETE, Access.INSERT)
          : List.of(Access.UPDATE);
    }
  }

  /** The rows of a table that were written in one way. */
  private record Group(String table, Access access) {}

  @Override
  public void ended(long nanos) {}

  @Override
  public void sending() {
    isBatch = false;
    isTaken = false;
    listener.begin();
  }

  @Override
  public void sendingBatch() {
    sending();
    isBatch = true;
    batch = null;
    taken = 0;
  }

  @Override
  public void sentBatch(long[] counts) {
    long sum = 0;
    for (long count : counts) {
      sum = count < 0 ? Long.MIN_VALUE : sum + count;
    }
    List<RowIdChange> changes = listener.changes();
    long unseen = listener.unseen();
    isSplit = changes != null && changes.size() == sum && unseen == 0;
    batch =
        changes != null && (unseen == 0 || (changes.isEmpty() && unseen == sum)) ? changes : null;
  }

  @Override
  public List<StatedWrite> written(List<StatedWrite> stated, long count, String sql) {
    if (isBatch) {
      return ofBatch(stated, count, sql);
    } else if (isTaken) {
      return stated;
    }
    isTaken = true;
    List<RowIdChange> changes = listener.changes();
    StatedWrite own = stated.size() == 1 ? stated.get(0) : null;
    Map<Row, Fate> rows = changes == null ? null : fates(changes);
    if (rows == null) {
      return UNKNOWN;
    }
    long unseen = listener.unseen();
    int ofOwn = own == null ? 0 : changesOf(rows, own.rows().table());
    boolean isOwnUnseen =
        own != null && ofOwn == 0 && unseen > 0 && unseen == listener.writtenByLast();
    // Of a statement whose result is open, SQLite has counted only what its triggers changed.
    boolean isOpen = count < 0 && unseen == -ofOwn;
    if (unseen != 0 && !isOwnUnseen && !isOpen) {
      return UNKNOWN;
    }
    List<StatedWrite> writes = writes(rows, own, REPLACES.matcher(sql).find());
    if (isOwnUnseen || ofOwn == 0) {
      writes.addAll(stated);
    }
    return writes;
  }

  private List<StatedWrite> ofBatch(List<StatedWrite> stated, long count, String sql) {
    List<RowIdChange> all = batch;
    if (all == null) {
      return UNKNOWN;
    }
    StatedWrite own = stated.size() == 1 ? stated.get(0) : null;
    int from = taken;
    taken += isSplit ? (int) count : 0;
    Map<Row, Fate> rows = fates(isSplit ? all.subList(from, taken) : all);
    if (rows == null) {
      return UNKNOWN;
    } else if (isSplit) {
      return rows.isEmpty() ? stated : writes(rows, own, REPLACES.matcher(sql).find());
    }
    Set<String> others = new LinkedHashSet<>();
    rows.keySet().forEach(row -> others.add(row.target().name()));
    List<StatedWrite> writes = new ArrayList<>(stated);
    for (String table : others) {
      if (own == null || !own.rows().table().equals(table)) {
        writes.add(someOf(table));
      }
    }
    return writes;
  }

  /** What became of each row; null if a table could not be looked up. */
  private @Nullable Map<Row, Fate> fates(List<RowIdChange> changes) {
    Map<Row, Fate> rows = new LinkedHashMap<>();
    for (RowIdChange change : changes) {
      Target target = target(change.database(), change.table());
      if (target == null) {
        return null;
      }
      Fate fate =
          rows.computeIfAbsent(new Row(target, change.rowId()), row -> new Fate(change.kind()));
      fate.last = change.kind();
      fate.changes++;
    }
    return rows;
  }

  private static int changesOf(Map<Row, Fate> rows, String table) {
    int changes = 0;
    for (Map.Entry<Row, Fate> row : rows.entrySet()) {
      changes += row.getKey().target().name().equals(table) ? row.getValue().changes : 0;
    }
    return changes;
  }

  private static StatedWrite someOf(String table) {
    return new StatedWrite(
        Access.UPDATE, new RowValues(table, List.of(), new long[0], new int[0]), false);
  }

  private List<StatedWrite> writes(
      Map<Row, Fate> rows, @Nullable StatedWrite own, boolean replaces) {
    Map<Group, List<Row>> groups = new LinkedHashMap<>();
    List<StatedWrite> writes = new ArrayList<>();
    Map<String, Integer> withoutKey = new LinkedHashMap<>();
    rows.forEach(
        (row, fate) -> {
          if (!row.target().hasRowIdKey()) {
            withoutKey.merge(row.target().name(), fate.changes, Integer::sum);
            return;
          }
          for (Access access : fate.accesses(replaces)) {
            groups
                .computeIfAbsent(new Group(row.target().name(), access), g -> new ArrayList<>())
                .add(row);
          }
        });
    withoutKey.forEach(
        (table, changes) -> {
          if (own != null
              && own.rows().table().equals(table)
              && own.complete()
              && own.rows().size() == changes) {
            writes.add(own);
          } else {
            writes.add(someOf(table));
          }
        });
    groups.entrySet().stream() // a row that was deleted, and inserted again
        .sorted(Comparator.comparing(group -> group.getKey().access() != Access.DELETE))
        .forEach(group -> writes.add(write(group.getKey(), group.getValue(), rows, own)));
    if (own != null && own.access() == Access.UPDATE && movesKey(own, writes)) {
      writes.add(own); // also under the key that it had
    }
    return writes;
  }

  /** True if a row is stated that was not given: it has another key by now. */
  private static boolean movesKey(StatedWrite own, List<StatedWrite> writes) {
    Set<Long> keys = new HashSet<>();
    for (StatedWrite write : writes) {
      if (write.rows().table().equals(own.rows().table())) {
        for (long key : write.rows().keys()) {
          keys.add(key);
        }
      }
    }
    for (long key : own.rows().keys()) {
      if (key != 0 && !keys.isEmpty() && !keys.contains(key)) {
        return true;
      }
    }
    return false;
  }

  /** Rows with the values that the statement states, unless they were changed again. */
  private StatedWrite write(
      Group group, List<Row> rows, Map<Row, Fate> fates, @Nullable StatedWrite own) {
    RowValues stated =
        own != null && own.rows().table().equals(group.table()) && own.access() == group.access()
            ? own.rows()
            : new RowValues(group.table(), List.of(), new long[0], new int[0]);
    Map<Long, Integer> places = new HashMap<>();
    for (int i = 0; i < stated.size(); i++) {
      places.put(stated.keys()[i], i);
    }
    int columns = stated.columns().size();
    long[] keys = new long[rows.size()];
    int[] values = new int[keys.length * columns];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = hash.ofKey(rows.get(i).rowId());
      Integer place = places.get(keys[i]);
      Fate fate = fates.get(rows.get(i));
      if (place != null && fate != null && fate.changes == 1) {
        System.arraycopy(stated.values(), place * columns, values, i * columns, columns);
      }
    }
    return new StatedWrite(
        group.access(), new RowValues(group.table(), stated.columns(), keys, values), true);
  }

  /** Null if it could not be looked up. */
  private @Nullable Target target(String database, String table) {
    if (targetsVersion != catalog.version()) {
      targetsVersion = catalog.version();
      targets.clear();
    }
    List<String> name = List.of(database, table);
    Target known = targets.get(name);
    if (known == null) {
      known = lookedUp(database, table);
      if (known != null) {
        targets.put(name, known);
      }
    }
    return known;
  }

  private @Nullable Target lookedUp(String database, String table) {
    DialectSql sql = Products.of(Dialect.SQLITE).sql();
    return catalog
        .find(List.of(sql.quoteInDdl(database), sql.quoteInDdl(table)))
        .filter(found -> found.status() != Catalog.Status.LOOKUP_FAILED)
        .map(found -> new Target(found.name(), hasRowIdKey(found)))
        .orElse(null);
  }

  private static boolean hasRowIdKey(Catalog.Table table) {
    List<KeyColumn> key = table.traits().nameColumns();
    return key.size() == 1 && key.get(0).kind() == KeyColumn.Kind.INTEGER;
  }

  @Override
  public void close() {
    listener.close();
  }
}
