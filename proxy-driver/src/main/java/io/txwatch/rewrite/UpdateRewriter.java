package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.plan.SystemColumnKey.Replaced;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import java.util.Optional;

/**
 * UPDATE (IsoRel, Table 1, row 7): its token is appended to the writers' list, where that is how
 * versions are named. Which rows it wrote it returns itself where the dialect can, else a read
 * after it finds them by the token.
 */
final class UpdateRewriter {

  private final RewriteContext context;
  private final Statement.Update update;
  private final Source.Table target;
  private final ReturnedRows rows;

  private UpdateRewriter(RewriteContext context, Statement.Update update, Source.Table target) {
    this.context = context;
    this.update = update;
    this.target = target;
    this.rows = new ReturnedRows(context, target);
  }

  static Rewrite rewrite(RewriteContext context, Statement.Update update) throws NotUnderstood {
    Optional<Source.Table> target = update.writtenTable();
    return target.isPresent()
        ? new UpdateRewriter(context, update, target.get()).ofOne()
        : Rewrite.unseen(GapReason.SHAPE, "UPDATE of several tables");
  }

  private Rewrite ofOne() throws NotUnderstood {
    Optional<GapReason> reason = context.tables().reason(target);
    if (reason.isPresent()) {
      return Rewrite.unseen(reason.get(), context.tables().display(target));
    }
    if (!context.tables().isPrepared(target)) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a write through a CTE");
    }
    if (context.tokens().isWord(update.verb() + 1, "OR")) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "UPDATE OR, which may take other rows away");
    }
    Rewrite write = writer().and(Rewrite.observing(target)).and(lostKey()).and(returnedRows());
    if (write.returned().how() == Returns.NOTHING) {
      write =
          write
              .and(WriteReads.after(context, target).rewrite())
              .and(WriteReads.contended(context, target));
    }
    return write.and(OtherReads.of(context, write));
  }

  /** The writer, appended to the assignments. */
  private Rewrite writer() throws NotUnderstood {
    if (!VersionSource.of(context.tables(), target).marksWrites()) {
      return Rewrite.NONE;
    }
    if (context.sql().skipsUnchangedRows()) {
      return ChangeGuard.append(context, target, update.assignments());
    }
    String qualifier = target.exposedName() + ".";
    String assignment = Auxiliary.appendWriter(context.sql(), "", qualifier);
    return context.after(update.set().to() - 1, ", " + assignment);
  }

  private Rewrite lostKey() {
    return rows.losesKey() ? Rewrite.unseen(GapReason.SHAPE, "an UPDATE of a key") : Rewrite.NONE;
  }

  private Rewrite returnedRows() {
    if (rows.mayMoveRows()) {
      return Rewrite.unseen(GapReason.SHAPE, "an UPDATE that may move rows to another partition");
    }
    if (!context.mayReturnRows()) {
      return Rewrite.NONE;
    }
    DialectSql sql = context.sql();
    return keptReplaced()
        .and(
            update.returning().isPresent()
                ? rows.byOwnClause()
                : rows.by(sql.returning(StatementKind.UPDATE), lastBeforeReturning(context)));
  }

  /** The condition that keeps the version which is replaced, where the DBMS does not return it. */
  private Rewrite keptReplaced() {
    VersionSource versions = VersionSource.of(context.tables(), target);
    Optional<Replaced> replaced = rows.replaced();
    if (versions.marksWrites() || replaced.equals(Optional.of(Replaced.RETURNED))) {
      return Rewrite.NONE;
    }
    if (replaced.isEmpty()) {
      return Rewrite.unseen(
          GapReason.SHAPE, "which versions an UPDATE replaces that reads other rows");
    }
    String keeps = versions.keepsReplaced(target.exposedName() + ".");
    if (update.where().isEmpty()) {
      return context.after(update.set().to() - 1, " where " + keeps);
    }
    Span where = update.where().get().span();
    return context.after(where.from(), " (").and(context.after(where.to() - 1, ") and " + keeps));
  }

  /** The token behind which RETURNING goes. */
  static int lastBeforeReturning(RewriteContext context) {
    return context.parts().to() - 1;
  }
}
