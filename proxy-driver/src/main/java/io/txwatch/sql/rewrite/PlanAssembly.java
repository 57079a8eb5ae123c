package io.txwatch.sql.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.Carried;
import io.txwatch.sql.KeyedRow;
import io.txwatch.sql.ObservedRows;
import io.txwatch.sql.RewritePlan;
import io.txwatch.sql.RewrittenText;
import io.txwatch.sql.RowNaming;
import io.txwatch.sql.TransactionControl;
import io.txwatch.sql.Unwatched;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.rewrite.Rewrite.Flag;
import io.txwatch.sql.rewrite.Rewrite.Gap;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Tokens;

/**
 * Makes a plan of a rewrite.
 *
 * @param tokens the application's text
 * @param control what the text does to the transaction
 * @param unwatched what is sent where nothing is observed
 */
record PlanAssembly(
    Tokens tokens,
    Dialect dialect,
    StatementKind kind,
    TransactionControl control,
    Unwatched unwatched) {

  /** For a text that is no transaction control, and needs no protection. */
  PlanAssembly(Tokens tokens, Dialect dialect, StatementKind kind) {
    this(tokens, dialect, kind, TransactionControl.NONE, Unwatched.asItIs(tokens.text()));
  }

  PlanAssembly control(TransactionControl other) {
    return new PlanAssembly(tokens, dialect, kind, other, unwatched);
  }

  PlanAssembly unwatched(Unwatched other) {
    return new PlanAssembly(tokens, dialect, kind, control, other);
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
        rewrite.assumed(),
        rewrite.is(Flag.MAY_LEAVE_UNNAMED),
        rewrite.is(Flag.STAR_SHOWS_AUXILIARY),
        usesSystemColumns,
        unwatched);
  }
}
