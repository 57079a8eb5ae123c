package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql.Returning;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.NewRows;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.plan.SystemColumnKey.Replaced;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.OnConflict;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * INSERT and REPLACE (IsoRel, Table 1, rows 6, 9 and 10): the writer token in every new row. The
 * rows of VALUES get their ids from the driver, which so knows them ({@link NewRows}); those of a
 * query get them from the column's default. Without a column list the columns are named from the
 * catalog: so the values stay where they belong, whatever was added to the table since.
 */
final class InsertRewriter {

  private final RewriteContext context;
  private final Tokens tokens;
  private final Statement.Insert insert;
  private final Source.Table target;
  private final ReturnedRows returnedRows;

  private InsertRewriter(RewriteContext context, Statement.Insert insert) {
    this.context = context;
    this.tokens = context.tokens();
    this.insert = insert;
    this.target = insert.target();
    this.returnedRows = new ReturnedRows(context, target);
  }

  static Rewrite rewrite(RewriteContext context, Statement.Insert insert) throws NotUnderstood {
    return new InsertRewriter(context, insert).rewrite();
  }

  private Rewrite rewrite() throws NotUnderstood {
    Optional<GapReason> reason = context.tables().reason(target);
    if (reason.isPresent()) {
      return Rewrite.unseen(reason.get(), context.tables().display(target));
    }
    Rewrite write =
        Rewrite.observing(target)
            .and(VersionSource.of(context.tables(), target).marksWrites() ? marked() : unmarked());
    return write.and(OtherReads.of(context, write));
  }

  /** Into a table whose versions are in system columns: the new rows are returned. */
  private Rewrite unmarked() {
    Rewrite rows =
        context.tables().key(target).map(SystemColumnKey::returnsInserted).orElse(true)
            ? keptReplaced().and(returnedRows(Optional.empty()))
            : Rewrite.unseen(GapReason.SHAPE, "an INSERT into a partitioned table");
    return rows.returned().how() == Returns.NOTHING
        ? rows.and(Rewrite.unseen(GapReason.SHAPE, "an INSERT that may not return rows"))
        : rows;
  }

  /** Rows that the INSERT updates instead return the version that they replaced. */
  private Rewrite keptReplaced() {
    Rewrite kept = Rewrite.NONE;
    if (!context.mayReturnRows() || !returnedRows.replaced().equals(Optional.of(Replaced.KEPT))) {
      return kept;
    }
    String keeps =
        VersionSource.of(context.tables(), target).keepsReplaced(target.exposedName() + ".");
    for (OnConflict conflict : insert.conflicts()) {
      if (!conflict.updates().isEmpty()) {
        int last = conflict.span().to() - 1;
        kept =
            kept.and(
                conflict.where().isEmpty()
                    ? context.after(last, " where " + keeps)
                    : context
                        .after(conflict.where().get().span().from(), " (")
                        .and(context.after(last, ") and " + keeps)));
      }
    }
    return kept;
  }

  /** Into a table with auxiliary columns: each new row names its writer. */
  private Rewrite marked() throws NotUnderstood {
    Rewrite written =
        switch (insert.from()) {
          case VALUES -> values();
          case QUERY -> query();
          case DEFAULT_VALUES -> defaultValues();
          case SET -> set();
        };
    written = written.and(conflict());
    Optional<NewRows> newRows = written.newRows();
    written = written.and(returnedRows(newRows));
    return insert.replaces() ? written.and(replaced(newRows)) : written;
  }

  private Rewrite defaultValues() throws NotUnderstood {
    if (!context.sql().hasDefaultValues()) {
      throw new NotUnderstood("DEFAULT VALUES, which " + context.dialect() + " does not know");
    }
    String row = "(" + names(newRid()) + ") values (" + newRowValues() + ")";
    return context.replace(insert.content().from(), insert.content().to(), row).and(givesIds(1));
  }

  private Rewrite set() {
    String rid = newRid().isEmpty() ? "" : Auxiliary.RID + " = " + newRid() + ", ";
    return context
        .after(insert.content().to() - 1, ", " + rid + Auxiliary.WL + " = " + token())
        .and(givesIds(1));
  }

  /** The update count states whether rows in the way were taken, where it counts them. */
  private Rewrite replaced(Optional<NewRows> newRows) {
    boolean counted =
        context.sql().countsReplacedRows() && newRows.isPresent() && insert.returning().isEmpty();
    return counted ? Rewrite.NONE : Rewrite.unseen(GapReason.SHAPE, NewRows.TAKEN_AWAY);
  }

  /** An id for a row of VALUES: the driver's, unless the text holds other statements too. */
  private String newRid() {
    return context.alone() ? String.valueOf(Auxiliary.ROW_ID) : "";
  }

  private String newRowValues() {
    return newRid().isEmpty() ? token() : newRid() + ", " + token();
  }

  private Rewrite givesIds(int rows) {
    return context.alone()
        ? Rewrite.givingIds(new NewRows(context.tables().display(target), rows, fate()))
        : Rewrite.NONE;
  }

  private NewRows.Fate fate() {
    if (insert.replaces()) {
      return NewRows.Fate.REPLACES;
    }
    if (!insert.conflicts().isEmpty()) {
      return updatesOnConflict() ? NewRows.Fate.MAY_UPDATE_ANOTHER : NewRows.Fate.MAY_BE_LEFT_OUT;
    }
    return modified() ? NewRows.Fate.MAY_BE_LEFT_OUT : NewRows.Fate.WRITTEN;
  }

  private boolean updatesOnConflict() {
    return !insert.updates().isEmpty();
  }

  /** INSERT IGNORE, INSERT OR FAIL and the like. */
  private boolean modified() {
    return tokens.hasAnyWord(insert.verb() + 1, target.from(), "IGNORE", "OR", "DELAYED");
  }

  private String token() {
    return Auxiliary.tokenAsValue();
  }

  private static String names(String rid) {
    return rid.isEmpty() ? Auxiliary.WL : Auxiliary.RID + ", " + Auxiliary.WL;
  }

  private Rewrite values() throws NotUnderstood {
    List<Expression.Tuple> tuples = insert.tuples();
    int width = tuples.get(0).items().size();
    if (tuples.stream().anyMatch(row -> row.items().size() != width)) {
      throw new NotUnderstood("rows of different width");
    }
    boolean empty = width == 0;
    String more = (empty ? "" : ", ") + newRowValues();
    List<Edits> rows =
        tuples.stream().map(row -> Edits.after(tokens, row.span().to() - 2, more)).toList();
    return nameColumns(width, names(newRid()))
        .and(Rewrite.of(Edits.joined(rows)))
        .and(nameAliases(tuples.get(tuples.size() - 1).span().to(), width))
        .and(givesIds(tuples.size()));
  }

  /** MySQL's {@code VALUES (…) AS new(a, b)} names every column, ours too. */
  private Rewrite nameAliases(int alias, int width) throws NotUnderstood {
    if (alias >= insert.content().to() || !tokens.isOpen(alias + 2)) {
      return Rewrite.NONE;
    }
    if (width == 0) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "aliases of no columns");
    }
    return context.after(tokens.partner(alias + 2) - 1, ", " + names(newRid()));
  }

  /** Adds our names to the column list, or makes one. */
  private Rewrite nameColumns(int width, String names) throws NotUnderstood {
    if (insert.columns().isPresent()) {
      int close = insert.columns().get().to() - 1;
      boolean none = close == insert.columns().get().from() + 1;
      if (none != (width == 0)) {
        throw new NotUnderstood("columns and values differ in number");
      }
      return context.after(close - 1, none ? names : ", " + names);
    }
    if (width == 0) {
      return context.after(target.to() - 1, " (" + names + ")");
    }
    int columns = columns().size();
    if (width != columns) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE,
          "the catalog knows " + columns + " columns, there are " + width);
    }
    return context.after(target.to() - 1, columnList(width, ", " + names));
  }

  private List<String> columns() {
    return context.tables().find(target).orElseThrow().columns();
  }

  private String columnList(int width, String more) {
    StringBuilder list = new StringBuilder();
    for (String name : columns().subList(0, width)) {
      list.append(list.isEmpty() ? " (" : ", ").append(Auxiliary.quote(context.sql(), name));
    }
    return list + more + ")";
  }

  /**
   * The token is the same in every row, so it may stand in every branch of a set operation, and
   * under DISTINCT and GROUP BY.
   */
  private Rewrite query() throws NotUnderstood {
    List<Block> blocks = context.parts().blocks(Role.SOURCE);
    if (blocks.isEmpty() || context.parts().hasOtherSource()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "INSERT from a query with VALUES or TABLE");
    }
    OptionalInt width = StarColumns.width(context.statement(), blocks.get(0));
    if (width.isEmpty() && insert.columns().isEmpty()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "INSERT of a star over an unknown source");
    }
    Rewrite named = columnsWithin(blocks).and(nameColumns(width.orElse(1), Auxiliary.WL));
    return !insert.conflicts().isEmpty() && updatesOnConflict() ? named.and(givesIds(0)) : named;
  }

  private Rewrite columnsWithin(List<Block> blocks) throws NotUnderstood {
    String added = ", " + Auxiliary.typedToken(context.sql());
    Rewrite columns = Rewrite.NONE;
    for (Block block : blocks) {
      if (block.list().isEmpty() || block.has(Kind.INTO)) {
        throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "INSERT from a query without columns");
      }
      columns = columns.and(context.after(block.list().to() - 1, added));
    }
    return columns;
  }

  /** What an upsert assigns to a row that is there names its writer, too. */
  private Rewrite conflict() throws NotUnderstood {
    if (insert.conflicts().isEmpty()) {
      return Rewrite.NONE;
    }
    OnConflict first = insert.conflicts().get(0);
    if (tokens.isWord(first.span().from() + 1, "DUPLICATE")) {
      return onDuplicateKey(first.updates());
    }
    Rewrite all = Rewrite.NONE;
    for (OnConflict conflict : insert.conflicts()) {
      List<Assignment> updates = conflict.updates();
      if (!updates.isEmpty()) {
        String qualifier = target.exposedName() + ".";
        String assignment = Auxiliary.appendWriter(context.sql(), "", qualifier);
        int last = updates.get(updates.size() - 1).span().to() - 1;
        all = all.and(context.after(last, ", " + assignment));
      }
    }
    return all;
  }

  private Rewrite onDuplicateKey(List<Assignment> updates) throws NotUnderstood {
    String name = Identifiers.fold(target.exposedName());
    for (Source.Table table : context.parts().references()) {
      if (table.from() != target.from() && Identifiers.fold(table.exposedName()).equals(name)) {
        throw new NotUnderstood(
            NotUnderstood.Reason.SHAPE, "an upsert that reads its target by its name");
      }
    }
    return ChangeGuard.append(context, target, updates);
  }

  /**
   * Rows that the driver did not give their ids, and those of an upsert, are returned where that
   * changes nothing: not on MariaDB, where RETURNING leaves ROW_COUNT() at -1, and where an upsert
   * returns one row for what counts as two.
   */
  private Rewrite returnedRows(Optional<NewRows> newRows) {
    if (insert.returning().isPresent()) {
      return context.mayReturnRows() ? returnedRows.byOwnClause() : Rewrite.NONE;
    }
    boolean known =
        newRows.map(rows -> rows.fate() != NewRows.Fate.MAY_UPDATE_ANOTHER).orElse(false);
    if (!context.alone()) {
      return Rewrite.NONE;
    }
    return known ? rowsForCarriedReads() : rowsOfUnknownIds();
  }

  /** How the rows can be returned; not at all where that would change something. */
  private Returning how() {
    Returning how = context.sql().returning(StatementKind.INSERT);
    boolean changes =
        !context.mayReturnRows()
            || insert.replaces()
            || (how == Returning.DELTA_TABLE && !insert.conflicts().isEmpty());
    return changes ? Returning.NONE : how;
  }

  /** Rows whose ids are known are returned only if they carry what the statement reads. */
  private Rewrite rowsForCarriedReads() {
    boolean reads = context.parts().references().size() > 1 && !insert.replaces();
    if (!reads || how() != Returning.CLAUSE) {
      return Rewrite.NONE;
    }
    CarriedReads.Columns carried = returnedRows.carried();
    return carried.text().isEmpty()
        ? carried.rewrite()
        : returnedRows.byClause(insert.span().to() - 1);
  }

  private Rewrite rowsOfUnknownIds() {
    Returning how = how();
    if (how != Returning.NONE) {
      return returnedRows.by(how, insert.span().to() - 1);
    }
    if (insert.replaces()) {
      return Rewrite.NONE;
    }
    WriteReads.Planned after = WriteReads.after(context, target);
    return !after.isComplete() && !insert.conflicts().isEmpty() && insert.tuples().isEmpty()
        ? Rewrite.unseen(GapReason.SHAPE, "an upsert: whether it inserts or updates is not seen")
        : after.rewrite();
  }
}
