package io.txwatch.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.plan.Carried;
import io.txwatch.plan.KeyedRow;
import io.txwatch.plan.ObservedRows;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.RewrittenText;
import io.txwatch.plan.RowNaming;
import io.txwatch.plan.TransactionControl;
import io.txwatch.rewrite.Rewrite.Flag;
import io.txwatch.rewrite.Rewrite.Gap;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Tokens;

/**
 * Makes a plan of a rewrite.
 *
 * @param tokens the application's text
 * @param control what the text does to the transaction
 */
record PlanAssembly(
    Tokens tokens, Dialect dialect, StatementKind kind, TransactionControl control) {

  /** For a text that is no transaction control. */
  PlanAssembly(Tokens tokens, Dialect dialect, StatementKind kind) {
    this(tokens, dialect, kind, TransactionControl.NONE);
  }

  PlanAssembly control(TransactionControl other) {
    return new PlanAssembly(tokens, dialect, kind, other);
  }

  /**
   * The plan.
   *
   * @param keys what the statement has to do with rows that are known by a key
   * @throws NotUnderstood if the text's own way of numbering parameters leaves no place for ours
   */
  RewritePlan of(Rewrite rewrite, KeyedRow keys, boolean usesSystemColumns) throws NotUnderstood {
    return of(rewrite, keys, RowNaming.OfStatement.NONE, usesSystemColumns);
  }

  /**
   * The plan.
   *
   * @param keys what the statement has to do with rows that are known by a key
   * @param names how reports can name the rows that it returns
   * @throws NotUnderstood if the text's own way of numbering parameters leaves no place for ours
   */
  RewritePlan of(
      Rewrite rewrite, KeyedRow keys, RowNaming.OfStatement names, boolean usesSystemColumns)
      throws NotUnderstood {
    EditedText text = new EditedText(tokens, rewrite.edits());
    TextParameters parameters = text.parameters(dialect);
    boolean carries = !rewrite.carried().isEmpty() || parameters.again().length > 0;
    return new RewritePlan(
        tokens.text(),
        kind,
        control,
        rewrite.gap().map(Gap::reason),
        rewrite.gap().map(Gap::detail).orElse(""),
        new RewrittenText(
            text.prepared(),
            text.pieces(),
            text.gaps(),
            text.origins(),
            parameters.count(),
            parameters.index(),
            parameters.writers(),
            parameters.rowIds()),
        new ObservedRows(
            rewrite.returned().how(),
            rewrite.returned().tables(),
            carries
                ? new Carried(rewrite.carried(), parameters.again(), parameters.againOf())
                : Carried.NONE,
            rewrite.sideReads(),
            rewrite.newRows(),
            keys,
            names),
        rewrite.is(Flag.MAY_LEAVE_UNNAMED),
        rewrite.is(Flag.STAR_SHOWS_AUXILIARY),
        usesSystemColumns);
  }
}
