package io.txwatch.sql;

import io.txwatch.history.WriterToken;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.RewritePlanner.Level;
import io.txwatch.sql.SideRead.Moment;
import io.txwatch.sql.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Version-set reads (TxCheck, section 3.2, VSR): for each table that a statement's predicates are
 * about, which version of every row of it the statement could choose from. One read for a table,
 * however often the statement names it, before the statement.
 *
 * <p>The whole table is asked for, as TxCheck does, since what a predicate matches after somebody
 * else's write may lie anywhere in it. A statement without WHERE has a predicate too, the one that
 * all rows match (Adya, section 4.3): a row that is inserted later is a phantom to it. The target
 * of an INSERT is not read: it chooses no rows there.
 *
 * <p>It asks for one row more than the bound, so that a table that is larger is recognised by what
 * comes back. It carries no lock clause. On MySQL, MariaDB and SQLite a plain read before a
 * statement that writes or locks fixes a snapshot that the statement alone would not have fixed yet
 * (InnoDB at REPEATABLE READ; SQLite in a deferred transaction): whoever carries it out leaves it
 * out there unless the transaction has read before.
 */
final class VersionSetReads {

  /** So much of a row's list: its last writer, and one before if that is the reader itself. */
  private static final int NEWEST = 2 * WriterToken.LENGTH;

  private VersionSetReads() {}

  /** Adds them to a draft, if its level asks for them. */
  static void add(Draft draft) {
    if (!draft.extent.level().includes(Level.PREDICATES)) {
      return;
    }
    Set<String> seen = new HashSet<>();
    for (TableRef table : draft.shape.tables) {
      if (draft.tables.isPrepared(table)
          && !isInsertTarget(draft, table)
          && seen.add(draft.tables.display(table))) {
        draft.sideReads.add(of(draft, table));
      }
    }
  }

  private static boolean isInsertTarget(Draft draft, TableRef table) {
    TableRef target = draft.shape.target;
    return target != null && draft.shape.source >= 0 && table.from() == target.from();
  }

  private static SideRead of(Draft draft, TableRef table) {
    VersionSource versions = draft.tables.versions(table);
    String newest =
        !versions.marksWrites()
            ? versions.version("")
            : draft.dialect == Dialect.SQLITE
                ? "substr(" + Auxiliary.WL + ", -" + NEWEST + ")"
                : "right(" + Auxiliary.WL + ", " + NEWEST + ")";
    String sql =
        "select "
            + versions.row("")
            + ", "
            + newest
            + " from "
            + String.join(".", table.name())
            + " limit "
            + (draft.extent.mostRows() + 1L);
    return new SideRead(
        Purpose.VERSION_SET,
        Moment.BEFORE,
        sql,
        new int[0],
        List.of(draft.tables.display(table)),
        true);
  }
}
