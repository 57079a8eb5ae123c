package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql.Returning;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import java.util.List;
import java.util.Optional;

/**
 * DELETE (IsoRel, Table 1, row 8). Which rows it takes it returns itself where the dialect can, so
 * that there is no need for IsoRel's locking read before it; else a plain read before it finds
 * them.
 */
final class DeleteRewriter {

  private final RewriteContext context;
  private final Source.Table target;

  private DeleteRewriter(RewriteContext context, Source.Table target) {
    this.context = context;
    this.target = target;
  }

  static Rewrite rewrite(RewriteContext context, Statement.Delete delete) throws NotUnderstood {
    Optional<Source.Table> target = delete.writtenTable();
    return target.isPresent()
        ? new DeleteRewriter(context, target.get()).fromOne()
        : fromSeveral(context, delete);
  }

  /** Nothing is appended to rows that go; which they are is read before, for each table. */
  private static Rewrite fromSeveral(RewriteContext context, Statement.Delete delete)
      throws NotUnderstood {
    List<Source.Table> tables = Source.tables(context.parts().sources());
    Rewrite write = Rewrite.NONE;
    for (Expression.Name name : delete.from()) {
      List<Source.Table> named =
          tables.stream()
              .filter(t -> Identifiers.fold(t.exposedName()).equals(Identifiers.fold(name.last())))
              .toList();
      if (named.size() != 1) {
        throw new NotUnderstood(
            NotUnderstood.Reason.SHAPE, "DELETE from a table that is named otherwise");
      }
      Source.Table target = named.get(0);
      if (context.tables().isPrepared(target)) {
        write =
            write
                .and(Rewrite.observing(target))
                .and(readBefore(context, target, "DELETE from several tables"));
      }
    }
    return write.and(OtherReads.of(context, write));
  }

  private static Rewrite readBefore(RewriteContext context, Source.Table target, String otherwise) {
    WriteReads.Planned before = WriteReads.before(context, target);
    return before.isComplete() ? before.rewrite() : Rewrite.unseen(GapReason.SHAPE, otherwise);
  }

  private Rewrite fromOne() throws NotUnderstood {
    Optional<GapReason> reason = context.tables().reason(target);
    if (reason.isPresent()) {
      return Rewrite.unseen(reason.get(), context.tables().display(target));
    }
    if (!context.tables().isPrepared(target)) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a write through a CTE");
    }
    Rewrite write =
        Rewrite.observing(target).and(deletedRows()).and(WriteReads.notDeleted(context, target));
    return write.and(OtherReads.of(context, write));
  }

  private Rewrite deletedRows() {
    if (!context.mayReturnRows()) {
      return readBefore(context, target, "a DELETE that may not return rows");
    }
    ReturnedRows rows = new ReturnedRows(context, target);
    if (context.tree().returning().isPresent()) {
      return rows.byOwnClause();
    }
    Returning how = context.sql().returning(StatementKind.DELETE);
    return how == Returning.NONE
        ? readBefore(context, target, "DELETE returns no rows here")
        : rows.by(how, UpdateRewriter.lastBeforeReturning(context));
  }
}
