package io.txwatch.sql.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.semantics.SelectBlock;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Set;

/**
 * The assignments of an UPDATE of one table, or of an upsert, on MySQL and MariaDB.
 *
 * @param table the target
 * @param from the list's first token
 * @param to the token after it
 */
record AssignmentList(
    RewriteContext context, Source.Table target, Catalog.Table table, int from, int to) {

  /** True for an UPDATE, false for an upsert. */
  boolean isOfUpdate() {
    return context.shape().kind == StatementKind.UPDATE;
  }

  /**
   * True if the DBMS may join the table with that of a subquery: not where the subquery is an
   * operand of a comparison, so that it is a value, and does not read the table that is updated.
   */
  boolean mayBeJoined() {
    StatementShape shape = context.shape();
    for (Source.Table other : shape.tables) {
      boolean same =
          other.from() != target.from() && context.tables().display(other).equals(table.name());
      if (same) {
        return true;
      }
    }
    for (SelectBlock block : shape.blocks) {
      boolean inWhere = shape.where >= 0 && block.select > shape.where;
      int open = block.select - 1;
      boolean value =
          context.tokens().isOpen(open) && context.tokens().is(open - 1, TokenKind.OPERATOR);
      boolean within =
          shape.blocks.stream().anyMatch(b -> b.select < block.select && block.select < b.end);
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
    for (Span assignment : tokens.items(from, to)) {
      int value = tokens.nameEnd(assignment.from()) + 1;
      boolean literal =
          assignment.to() == value + 1
              && (tokens.is(value, TokenKind.NUMBER) || tokens.is(value, TokenKind.STRING));
      String column = tokens.folded(Math.max(assignment.from(), value - 2));
      if (!literal && columns.contains(column)) {
        return true;
      }
    }
    return false;
  }
}
