package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql.Returning;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.plan.SystemColumnKey.Replaced;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.statement.StatementKinds;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The rows that a write returns, in the same round trip: by RETURNING (PostgreSQL, SQLite, MariaDB)
 * or by a query around it (H2). With them come the {@linkplain CarriedReads reads} that they carry.
 */
final class ReturnedRows {

  private final RewriteContext context;
  private final Source.Table target;

  ReturnedRows(RewriteContext context, Source.Table target) {
    this.context = context;
    this.target = target;
  }

  /**
   * By what the dialect has for it.
   *
   * @param last the token behind which a clause goes
   */
  Rewrite by(Returning how, int last) {
    return switch (how) {
      case CLAUSE -> byClause(last);
      case DELTA_TABLE -> byDeltaTable();
      case NONE -> Rewrite.NONE;
    };
  }

  /** By the application's own RETURNING, whose list is longer then. */
  Rewrite byOwnClause() {
    return after(", ", context.parts().to() - 1, Returns.WRITTEN_ROWS_APPENDED);
  }

  /** By RETURNING behind a token. */
  Rewrite byClause(int last) {
    return after(" returning ", last, Returns.WRITTEN_ROWS);
  }

  private Rewrite after(String before, int last, Returns how) {
    CarriedReads.Columns carried = carried();
    return context
        .after(last, before + pair() + carried.text())
        .and(carried.rewrite())
        .and(returned(how));
  }

  /** What it reads besides, as further columns of what it returns. */
  CarriedReads.Columns carried() {
    return CarriedReads.ofWrite(context, Set.of(target.from()));
  }

  private Rewrite returned(Returns how) {
    return Rewrite.returning(how, List.of(context.tables().display(target)));
  }

  /** H2: {@code SELECT … FROM FINAL TABLE (UPDATE …)}, {@code OLD TABLE (DELETE …)}. */
  Rewrite byDeltaTable() {
    StatementParts parts = context.parts();
    CarriedReads.Columns carried = carried();
    String query =
        "select %s, %s%s from %s table ("
            .formatted(
                Auxiliary.RID,
                Auxiliary.WL,
                carried.text(),
                StatementKinds.of(parts) == StatementKind.DELETE ? "old" : "final");
    return context
        .before(parts.from(), query)
        .and(context.after(parts.to() - 1, ")"))
        .and(carried.rewrite())
        .and(returned(Returns.WRITTEN_ROWS));
  }

  /** Row and version of the rows. */
  private String pair() {
    VersionSource versions = VersionSource.of(context.tables(), target);
    String qualifier = target.exposedName() + ".";
    if (versions.marksWrites()) {
      boolean qualified = context.sql().qualifiesReturnedColumns();
      return versions.pair(qualified ? qualifier : "");
    }
    String written =
        versions.written(
            StatementKinds.of(context.parts()),
            qualifier,
            new VersionSource.Written(
                !context.tree().conflicts().isEmpty(), mayChangeKey(), replaced()));
    return "%s as %s, %s as %s"
        .formatted(versions.row(qualifier), Auxiliary.RID, written, Auxiliary.WL);
  }

  /** True if {@code old} or {@code new} is a name of a table in the statement. */
  private static boolean hidesOld(StatementParts parts) {
    return Stream.concat(
            parts.references().stream(), Source.leaves(parts.sources(), Source.class).stream())
        .flatMap(source -> source.exposed().stream())
        .map(Identifiers::fold)
        .anyMatch(name -> name.equals("old") || name.equals("new"));
  }

  /** How the write returns the version that each of its rows replaced; empty if it does not. */
  Optional<Replaced> replaced() {
    Set<Replaced> ways = VersionSource.of(context.tables(), target).replaced();
    if (ways.contains(Replaced.RETURNED) && !hidesOld(context.parts())) {
      return Optional.of(Replaced.RETURNED);
    }
    return ways.contains(Replaced.KEPT) && isEvaluatedLast()
        ? Optional.of(Replaced.KEPT)
        : Optional.empty();
  }

  /**
   * True if a condition that is added to a write is evaluated right before each row is updated, and
   * hardly for other rows: it joins nothing, has no subquery that may become a join, and takes its
   * row from no cursor.
   */
  private boolean isEvaluatedLast() {
    Statement tree = context.tree();
    if (!tree.conflicts().isEmpty()) {
      return true;
    }
    Optional<Span> where = tree.where().map(Clause::content);
    boolean selects =
        context.parts().blocks().stream()
            .anyMatch(block -> where.filter(w -> w.contains(block.start())).isPresent());
    boolean atCursor =
        where.filter(w -> context.tokens().areWords(w.from(), "CURRENT", "OF")).isPresent();
    boolean joins =
        tree.clauses().stream()
            .anyMatch(c -> c.kind() == Clause.Kind.FROM || c.kind() == Clause.Kind.USING);
    return !joins && !selects && !atCursor;
  }

  /** True if it may change what identifies a row, and does not return the row before. */
  boolean losesKey() {
    return !VersionSource.of(context.tables(), target).marksWrites()
        && replaced().isEmpty()
        && mayChangeKey();
  }

  /** True unless an UPDATE surely leaves the columns that identify its row as they are. */
  boolean mayChangeKey() {
    return mayAssign(context.tables().key(target).orElseThrow().columns());
  }

  /**
   * True if rows may be moved to another partition. PostgreSQL raises an error if system columns
   * are to be returned of a row that is moved to a partition with columns in another order.
   */
  boolean mayMoveRows() {
    return context.tables().key(target).map(k -> mayAssign(k.partitionedBy())).orElse(false);
  }

  /** True unless it surely assigns none of these columns. */
  private boolean mayAssign(Collection<String> columns) {
    return context.tree().updates().stream()
        .anyMatch(
            assignment ->
                assignment.targets().isEmpty()
                    || assignment.targets().stream()
                        .flatMap(name -> name.parts().stream())
                        .map(Identifiers::fold)
                        .anyMatch(part -> columns.stream().anyMatch(part::equalsIgnoreCase)));
  }
}
