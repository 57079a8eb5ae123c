package io.txwatch.statement;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Statement;

/** What histories call statements. */
public final class StatementKinds {

  private StatementKinds() {}

  /** The kind of a statement. */
  public static StatementKind of(StatementParts parts) {
    Statement tree = parts.tree();
    if (tree instanceof Statement.Insert insert) {
      return insert.replaces() ? StatementKind.REPLACE : StatementKind.INSERT;
    } else if (tree instanceof Statement.Update) {
      return StatementKind.UPDATE;
    } else if (tree instanceof Statement.Delete) {
      return StatementKind.DELETE;
    } else if (tree instanceof Statement.Merge) {
      return StatementKind.MERGE;
    }
    return parts.locks() ? StatementKind.LOCKING_SELECT : StatementKind.SELECT;
  }
}
