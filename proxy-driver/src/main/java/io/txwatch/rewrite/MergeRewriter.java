package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DialectSql.Returning;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.RowKey;
import io.txwatch.plan.RowKey.Replaced;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.MergeBranch;
import io.txwatch.sql.syntax.MergeBranch.Action;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * {@code MERGE INTO t USING s ON … WHEN …} (PostgreSQL, H2): each branch that writes names its
 * writer (hazard 23). What it wrote and deleted PostgreSQL returns, from version 17 on; what it
 * wrote H2's {@code FINAL TABLE}.
 */
final class MergeRewriter {

  private final RewriteContext context;
  private final Statement.Merge merge;
  private final Source.Table target;

  private MergeRewriter(RewriteContext context, Statement.Merge merge) {
    this.context = context;
    this.merge = merge;
    this.target = merge.target();
  }

  static Rewrite rewrite(RewriteContext context, Statement.Merge merge) throws NotUnderstood {
    return new MergeRewriter(context, merge).rewrite();
  }

  private Rewrite rewrite() throws NotUnderstood {
    Optional<GapReason> reason = context.tables().reason(target);
    if (reason.isPresent()) {
      return Rewrite.unseen(reason.get(), context.tables().display(target));
    }
    if (!context.tables().isPrepared(target)) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a write through a CTE");
    }
    Rewrite write = Rewrite.observing(target);
    if (VersionSource.of(context.tables(), target).marksWrites()) {
      for (MergeBranch when : merge.branches()) {
        write = write.and(branch(when));
      }
      write = write.and(returnedRows());
    } else {
      write = write.and(returnedVersions());
    }
    return write.and(OtherReads.of(context, write));
  }

  /** A branch that names its writer in what it writes. */
  private Rewrite branch(MergeBranch when) throws NotUnderstood {
    return switch (when.action()) {
      case UPDATE -> {
        String qualifier = target.exposedName() + ".";
        String assignment = Auxiliary.appendWriter(context.dialect(), "", qualifier);
        yield context.after(when.content().to() - 1, ", " + assignment);
      }
      case INSERT -> insert(when.content());
      case DELETE, NOTHING -> Rewrite.NONE;
    };
  }

  /** {@code INSERT [(…)] VALUES (…)}, {@code INSERT DEFAULT VALUES}. */
  private Rewrite insert(Span when) throws NotUnderstood {
    Tokens tokens = context.tokens();
    int i = when.from() + 1;
    int columns = tokens.isOpen(i) ? i : -1;
    i = columns < 0 ? i : tokens.partner(i) + 1;
    if (tokens.isWord(i, "OVERRIDING")) {
      i += 3;
    }
    if (tokens.areWords(i, "DEFAULT", "VALUES") && columns < 0) {
      return context.replace(
          i, i + 2, "(" + Auxiliary.WL + ") values (" + Auxiliary.tokenAsValue() + ")");
    }
    int values = i + 1;
    if (!tokens.isWord(i, "VALUES")
        || !tokens.isOpen(values)
        || tokens.partner(values) + 1 != when.to()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "MERGE that inserts something else than a row");
    }
    Rewrite named =
        columns >= 0
            ? context.after(tokens.partner(columns) - 1, ", " + Auxiliary.WL)
            : context.after(when.from(), columnList(width(values)));
    return named.and(context.after(tokens.partner(values) - 1, ", " + Auxiliary.tokenAsValue()));
  }

  private int width(int open) {
    return context.tokens().items(open + 1, context.tokens().partner(open)).size();
  }

  private String columnList(int width) throws NotUnderstood {
    List<String> columns = context.tables().find(target).orElseThrow().columns();
    if (width > columns.size()) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "the catalog knows fewer columns");
    }
    StringJoiner list = new StringJoiner(", ", " (", ", " + Auxiliary.WL + ")");
    columns.subList(0, width).forEach(name -> list.add(Auxiliary.quote(context.dialect(), name)));
    return list.toString();
  }

  /**
   * PostgreSQL 17 returns rows, but not the replaced version; and the condition of a branch must
   * not contain system columns.
   */
  private Rewrite returnedVersions() {
    ReturnedRows rows = new ReturnedRows(context, target);
    boolean returnsVersions =
        context.mayReturnRows()
            && rows.replaced().equals(Optional.of(Replaced.RETURNED))
            && context.tables().key(target).map(RowKey::returnsInserted).orElse(false)
            && !rows.mayChangeKey();
    if (!returnsVersions) {
      return Rewrite.unseen(GapReason.SHAPE, "MERGE");
    }
    return merge.returning().isPresent()
        ? rows.byOwnClause()
        : rows.byClause(merge.span().to() - 1);
  }

  /** H2: the rows of a delta table. */
  private Rewrite returnedRows() {
    boolean deletes = merge.branches().stream().anyMatch(when -> when.action() == Action.DELETE);
    if (!context.mayReturnRows() || deletes) {
      Rewrite after = WriteReads.after(context, target).rewrite();
      return deletes
          ? after.and(Rewrite.unseen(GapReason.SHAPE, "the rows that MERGE deletes are not seen"))
          : after;
    }
    Returning how = DialectSql.of(context.dialect()).returning(StatementKind.MERGE);
    return new ReturnedRows(context, target).by(how, merge.span().to() - 1);
  }
}
