package io.txwatch.rewrite;

import io.txwatch.plan.Catalog;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The assignments of an UPDATE of one table, or of an upsert, on MySQL and MariaDB.
 *
 * @param table the target
 */
record AssignmentList(
    RewriteContext context,
    Source.Table target,
    Catalog.Table table,
    List<Assignment> assignments) {

  /** The list's first token. */
  int from() {
    return assignments.get(0).span().from();
  }

  /** Its last token. */
  int last() {
    return assignments.get(assignments.size() - 1).span().to() - 1;
  }

  /** True for an UPDATE, false for an upsert. */
  boolean isOfUpdate() {
    return context.tree() instanceof Statement.Update;
  }

  /**
   * True if the DBMS may join the table with that of a subquery: not where the subquery is an
   * operand of a comparison, so that it is a value, and does not read the table that is updated.
   */
  boolean mayBeJoined() {
    StatementParts parts = context.parts();
    for (Source.Table other : parts.references()) {
      boolean same =
          other.from() != target.from() && context.tables().display(other).equals(table.name());
      if (same) {
        return true;
      }
    }
    Optional<Clause> where = context.tree().where();
    for (Block block : parts.blocks()) {
      boolean inWhere = where.filter(w -> block.start() > w.span().from()).isPresent();
      int open = block.start() - 1;
      boolean value =
          context.tokens().isOpen(open) && context.tokens().is(open - 1, TokenKind.OPERATOR);
      boolean within =
          parts.blocks().stream()
              .anyMatch(b -> b.start() < block.start() && block.start() < b.end());
      if (inWhere && !value && !within) {
        return true;
      }
    }
    return false;
  }

  /**
   * MySQL compares the buffers of the old and the new row. What lies under a NULL that was read is
   * the column's default, under one that was assigned it is zero: so there InnoDB makes a version
   * of a row that is the same, and MySQL counts none.
   */
  boolean mayAssignNullOverDefault() {
    Set<String> columns = table.traits().nullOverDefault();
    if (columns.isEmpty()) {
      return false;
    }
    Tokens tokens = context.tokens();
    return assignments.stream()
        .filter(one -> !isLiteral(tokens, one.value().span()))
        .flatMap(one -> one.targets().stream())
        .anyMatch(column -> columns.contains(Identifiers.fold(column.last())));
  }

  private static boolean isLiteral(Tokens tokens, Span value) {
    return value.to() == value.from() + 1
        && (tokens.is(value.from(), TokenKind.NUMBER) || tokens.is(value.from(), TokenKind.STRING));
  }
}
