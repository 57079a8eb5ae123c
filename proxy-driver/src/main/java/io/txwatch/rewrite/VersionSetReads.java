package io.txwatch.rewrite;

import io.txwatch.history.WriterToken;
import io.txwatch.plan.SideRead;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Version-set reads (TxCheck, section 3.2, VSR): for each table that a statement's predicates are
 * about, which version of every row of it the statement could choose from. One read for a table,
 * however often the statement names it, before the statement.
 *
 * <p>The whole table is read, as TxCheck does, since what a predicate matches after another
 * transaction's write may lie anywhere in it. A statement without WHERE has a predicate too, the
 * one that all rows match (Adya, section 4.3): a row that is inserted later is a phantom to it. The
 * target of an INSERT is not read: it chooses no rows there.
 *
 * <p>It reads one row more than the bound, so that a table that is larger is recognised by what
 * comes back. It carries no lock clause. On MySQL and MariaDB a plain read before a statement that
 * writes or locks fixes a snapshot that the statement alone would not have fixed yet (InnoDB at
 * REPEATABLE READ): the session leaves it out there unless the transaction has read before.
 */
final class VersionSetReads {

  /** So much of a row's list: its last writer, and one before if that is the reader itself. */
  private static final int NEWEST = 2 * WriterToken.LENGTH;

  private VersionSetReads() {}

  /** Those of a statement, if its level wants them. */
  static Rewrite of(RewriteContext context) {
    Rewrite reads = Rewrite.NONE;
    if (!context.readsVersionSets() || context.statement().skipsLockedRows()) {
      return reads;
    }
    Set<String> seen = new HashSet<>();
    for (Source.Table table : context.parts().references()) {
      if (context.tables().isPrepared(table)
          && !isInsertTarget(context.tree(), table)
          && seen.add(context.tables().display(table))) {
        reads = reads.and(Rewrite.beside(of(context, table)));
      }
    }
    return reads;
  }

  private static boolean isInsertTarget(Statement tree, Source.Table table) {
    return tree instanceof Statement.Insert insert && insert.target().equals(table);
  }

  private static SideRead of(RewriteContext context, Source.Table table) {
    VersionSource versions = VersionSource.of(context.tables(), table);
    String newest =
        versions.marksWrites()
            ? "right(" + Auxiliary.WL + ", " + NEWEST + ")"
            : versions.version("");
    String sql =
        "select %s, %s from %s%s"
            .formatted(versions.row(""), newest, String.join(".", table.name()), context.limit());
    List<String> tables = List.of(context.tables().display(table));
    return new SideRead(
        Purpose.VERSION_SET,
        Moment.BEFORE,
        sql,
        new int[0],
        tables,
        true,
        versions.identifiesByPlace());
  }
}
