package io.txwatch.interleave.run;

import io.txwatch.history.AccessedColumns;
import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.AccessedColumns.OfTable;
import io.txwatch.history.KeyValues;
import io.txwatch.history.StatementKind;
import io.txwatch.interleave.explore.CallFootprint;
import io.txwatch.jdbc.gate.GatedCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What a statement does with a table.
 *
 * @param table the table's name, as in {@link OfTable#table}
 * @param read the columns that it reads; none if it reads no row
 * @param writes true if it writes or locks rows
 * @param written the columns that it assigns, if it neither inserts nor deletes; else all
 * @param movesRows true if it inserts rows, deletes rows or gives them other keys, so that
 *     conditions find more or fewer than before
 * @param givesKeys true if it gives rows that are there other keys, so that {@code keys} does not
 *     state all rows that it writes
 * @param keys the rows that it chooses or inserts, by the values of columns of a key; empty if
 *     unknown
 */
record TableUse(
    String table,
    Columns read,
    boolean writes,
    Columns written,
    boolean movesRows,
    boolean givesKeys,
    List<KeyValues> keys) {

  /**
   * What a call uses: all of its statements.
   *
   * @param constraints the constraints of a table, by its name
   */
  static CallFootprint of(GatedCall call, Function<String, TableConstraints> constraints) {
    List<TableUse> uses = new ArrayList<>();
    for (GatedCall.Statement statement : call.statements()) {
      AccessedColumns columns = AccessedColumns.parse(statement.columns());
      if (columns.tables().isEmpty()) {
        return CallFootprint.EVERYTHING;
      }
      for (OfTable one : columns.tables()) {
        TableConstraints ofTable = constraints.apply(one.table());
        TableUse use = of(statement, one, ofTable);
        uses.add(use);
        if (use.movesRows) {
          addKeyUses(one.table(), constraints, new HashSet<>(), uses);
        }
      }
    }
    return new Uses(uses);
  }

  /** Adds what foreign keys do with other tables when rows of a table are moved. */
  private static void addKeyUses(
      String table,
      Function<String, TableConstraints> constraints,
      Set<String> seen,
      List<TableUse> uses) {
    if (seen.add(table)) {
      TableConstraints ofTable = constraints.apply(table);
      ofTable.checked().forEach(other -> uses.add(checks(other)));
      for (String other : ofTable.changed()) {
        uses.add(changes(other));
        addKeyUses(other, constraints, seen, uses);
      }
    }
  }

  /** What a foreign key reads of the other table. */
  private static TableUse checks(String table) {
    return new TableUse(table, Columns.ALL, false, Columns.NONE, false, false, List.of());
  }

  /** What the action of a foreign key does with the other table. */
  private static TableUse changes(String table) {
    return new TableUse(table, Columns.ALL, true, Columns.ALL, true, true, List.of());
  }

  private static TableUse of(GatedCall.Statement statement, OfTable one, TableConstraints ofTable) {
    boolean assigns = !isNone(one.written());
    StatementKind kind = statement.kind();
    boolean locks = kind == StatementKind.LOCKING_SELECT;
    boolean mayMove =
        kind == StatementKind.INSERT
            || kind == StatementKind.DELETE
            || kind == StatementKind.REPLACE
            || kind == StatementKind.MERGE
            || kind == StatementKind.DDL
            || kind == StatementKind.OTHER;
    boolean writes = locks || assigns || (mayMove && statement.kind().mayWrite());
    boolean givesKeys =
        kind != StatementKind.INSERT
            && assigns
            && meet(one.written(), Columns.of(ofTable.columns()));
    List<KeyValues> keys =
        statement.keys().stream().filter(key -> key.table().equals(one.table())).toList();
    return new TableUse(
        one.table(),
        union(one.read(), one.predicate()),
        writes,
        mayMove || locks ? Columns.ALL : one.written(),
        (mayMove && writes) || givesKeys,
        givesKeys,
        keys);
  }

  /** The same, as far as it reads. */
  TableUse asRead() {
    Columns seen = writes ? Columns.ALL : read;
    return new TableUse(table, seen, false, Columns.NONE, false, false, keys);
  }

  /** True if the order of two uses of the same table may matter. */
  private boolean conflictsWith(TableUse other) {
    if (!table.equals(other.table) || !(writes || other.writes)) {
      return false;
    }
    if (writes && other.writes) {
      // An INSERT may meet a unique key, or a lock of the gap that it inserts into.
      return movesRows || other.movesRows || !choosesOtherRowsThan(other);
    }
    // A row that gets another key may become one that the other chooses, or no longer be.
    return (givesKeys || other.givesKeys || !choosesOtherRowsThan(other))
        && (writes ? meet(written, other.read) : meet(other.written, read));
  }

  /** True if no row can have both the one's and the other's keys. */
  private boolean choosesOtherRowsThan(TableUse other) {
    for (KeyValues mine : keys) {
      for (KeyValues others : other.keys) {
        if (mine.column().equals(others.column())
            && Collections.disjoint(mine.hashes(), others.hashes())) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean meet(Columns one, Columns other) {
    return (one.all() && !isNone(other))
        || (other.all() && !isNone(one))
        || !Collections.disjoint(one.names(), other.names());
  }

  private static Columns union(Columns one, Columns other) {
    if (one.all() || other.all()) {
      return Columns.ALL;
    }
    List<String> names = new ArrayList<>(one.names());
    names.addAll(other.names());
    return Columns.of(names);
  }

  private static boolean isNone(Columns columns) {
    return !columns.all() && columns.names().isEmpty();
  }

  /** The uses of one call, or of all calls of a transaction. */
  record Uses(List<TableUse> tables) implements CallFootprint {
    @Override
    public boolean conflictsWith(CallFootprint other) {
      if (!(other instanceof Uses uses)) {
        return other.conflictsWith(this);
      }
      return tables.stream().anyMatch(mine -> uses.tables.stream().anyMatch(mine::conflictsWith));
    }
  }
}
