package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.NewRows;
import io.txwatch.sql.RewritePlan.Returns;
import io.txwatch.sql.RowKey;
import io.txwatch.sql.RowKey.Replaced;
import io.txwatch.sql.dialect.DialectSql.Returning;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.SelectBlock;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.OnConflict;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement.RowsFrom;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Objects;
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
  private final StatementShape shape;
  private final Source.Table target;
  private final ReturnedRows returnedRows;

  private InsertRewriter(RewriteContext context) {
    this.context = context;
    this.tokens = context.tokens();
    this.shape = context.shape();
    this.target = Objects.requireNonNull(shape.target);
    this.returnedRows = new ReturnedRows(context, target);
  }

  static Rewrite rewrite(RewriteContext context) throws NotUnderstood {
    return new InsertRewriter(context).rewrite();
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
        context.tables().key(target).map(RowKey::returnsInserted).orElse(true)
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
    for (OnConflict conflict : shape.conflicts) {
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
        switch (Objects.requireNonNull(shape.sourceKind)) {
          case VALUES -> values();
          case QUERY -> query();
          case DEFAULT_VALUES -> defaultValues();
          case SET -> set();
        };
    written = written.and(conflict());
    Optional<NewRows> newRows = written.newRows();
    written = written.and(returnedRows(newRows));
    return shape.kind == StatementKind.REPLACE ? written.and(replaced(newRows)) : written;
  }

  private Rewrite defaultValues() throws NotUnderstood {
    if (!context.dialect().sql().hasDefaultValues()) {
      throw new NotUnderstood("DEFAULT VALUES, which " + context.dialect() + " does not know");
    }
    String row = "(" + names(newRid()) + ") values (" + newRowValues() + ")";
    return context.replace(shape.source, shape.source + 2, row).and(givesIds(1));
  }

  private Rewrite set() {
    String rid = newRid().isEmpty() ? "" : Auxiliary.RID + " = " + newRid() + ", ";
    return context
        .after(shape.sourceEnd - 1, ", " + rid + Auxiliary.WL + " = " + token())
        .and(givesIds(1));
  }

  /**
   * The rows in the way are read before by the keys. On MySQL and MariaDB the update count says
   * whether there were any: whoever carries it out knows what is missing. On SQLite it does not:
   * there they are asked for by every key, or it is said that they are not seen.
   */
  private Rewrite replaced(Optional<NewRows> newRows) {
    boolean counted =
        context.dialect().sql().countsReplacedRows() && newRows.isPresent() && shape.returning < 0;
    boolean reads = counted || context.dialect().sql().findsReplacedRowsByKeys();
    if (!reads) {
      return Rewrite.unseen(GapReason.SHAPE, NewRows.TAKEN_AWAY);
    }
    WriteReads.Planned before = WriteReads.replaced(context, target);
    return counted || before.isComplete()
        ? before.rewrite()
        : before.rewrite().and(Rewrite.unseen(GapReason.SHAPE, NewRows.TAKEN_AWAY));
  }

  /** An id for each row of a query; empty if the column's default gives it. */
  private String rid() {
    return Auxiliary.newRid(context.dialect());
  }

  /** An id for a row of VALUES: the driver's, unless the text holds other statements too. */
  private String newRid() {
    return context.alone() ? String.valueOf(Auxiliary.ROW_ID) : rid();
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
    if (shape.kind == StatementKind.REPLACE) {
      return NewRows.Fate.REPLACES;
    }
    if (shape.onConflict >= 0) {
      return updatesOnConflict() ? NewRows.Fate.MAY_UPDATE_ANOTHER : NewRows.Fate.MAY_BE_LEFT_OUT;
    }
    return modified() ? NewRows.Fate.MAY_BE_LEFT_OUT : NewRows.Fate.WRITTEN;
  }

  private boolean updatesOnConflict() {
    return !shape.assignments.isEmpty();
  }

  /** INSERT IGNORE, INSERT OR FAIL and the like. */
  private boolean modified() {
    for (int i = shape.verb + 1; i < target.from(); i++) {
      if (tokens.isAnyWord(i, "IGNORE", "OR", "DELAYED")) {
        return true;
      }
    }
    return false;
  }

  private String token() {
    return Auxiliary.tokenAsValue();
  }

  private static String names(String rid) {
    return rid.isEmpty() ? Auxiliary.WL : Auxiliary.RID + ", " + Auxiliary.WL;
  }

  private Rewrite values() throws NotUnderstood {
    int width = width(shape.rows.get(0));
    for (int row : shape.rows) {
      if (width(row) != width) {
        throw new NotUnderstood("rows of different width");
      }
    }
    boolean empty = width == 0;
    if (empty && !context.dialect().sql().hasEmptyRows()) {
      throw new NotUnderstood("VALUES (), which " + context.dialect() + " does not know");
    }
    String more = (empty ? "" : ", ") + newRowValues();
    List<Edits> rows =
        shape.rows.stream().map(row -> Edits.after(tokens, tokens.partner(row) - 1, more)).toList();
    return nameColumns(width, names(newRid()))
        .and(Rewrite.of(Edits.joined(rows)))
        .and(nameAliases(width))
        .and(givesIds(shape.rows.size()));
  }

  /** MySQL's {@code VALUES (…) AS new(a, b)} names every column, ours too. */
  private Rewrite nameAliases(int width) throws NotUnderstood {
    int alias = tokens.partner(shape.rows.get(shape.rows.size() - 1)) + 1;
    if (alias >= shape.sourceEnd || !tokens.isOpen(alias + 2)) {
      return Rewrite.NONE;
    }
    if (width == 0) {
      throw new NotUnderstood(GapReason.SHAPE, "aliases of no columns");
    }
    return context.after(tokens.partner(alias + 2) - 1, ", " + names(newRid()));
  }

  /** Adds our names to the column list, or makes one. */
  private Rewrite nameColumns(int width, String names) throws NotUnderstood {
    if (shape.columns >= 0) {
      int close = tokens.partner(shape.columns);
      boolean none = close == shape.columns + 1;
      if (none != (width == 0)) {
        throw new NotUnderstood("columns and values differ in number");
      }
      return context.after(close - 1, none ? names : ", " + names);
    }
    if (width == 0) {
      return context.after(target.to() - 1, " (" + names + ")");
    }
    int columns = columns().size();
    boolean fewerAllowed = context.dialect().sql().fillsMissingColumns() && width > 0;
    if (width > columns || (width < columns && !fewerAllowed)) {
      throw new NotUnderstood(
          GapReason.SHAPE, "the catalog knows " + columns + " columns, there are " + width);
    }
    return context.after(target.to() - 1, columnList(width, ", " + names));
  }

  private List<String> columns() {
    return context.tables().find(target).orElseThrow().columns();
  }

  private String columnList(int width, String more) {
    return InsertedColumns.list(context.dialect(), columns().subList(0, width), more);
  }

  private int width(int open) {
    return InsertedColumns.width(tokens, open);
  }

  /**
   * The token is the same in every row, so it may stand in every branch of a set operation, and
   * under DISTINCT and GROUP BY. A row id may not: there it is put around the query.
   */
  private Rewrite query() throws NotUnderstood {
    List<SelectBlock> blocks =
        shape.blocks.stream().filter(b -> b.role == SelectBlock.Role.SOURCE).toList();
    if (blocks.isEmpty() || shape.otherSource) {
      throw new NotUnderstood(GapReason.SHAPE, "INSERT from a query with VALUES or TABLE");
    }
    OptionalInt width = StarGuard.width(context.statement(), blocks.get(0));
    if (width.isEmpty() && shape.columns < 0) {
      throw new NotUnderstood(GapReason.SHAPE, "INSERT of a star over an unknown source");
    }
    boolean distinct = shape.setOperation || blocks.stream().anyMatch(b -> b.distinct);
    Rewrite columns = distinct && !rid().isEmpty() ? columnsAround(blocks) : columnsWithin(blocks);
    Rewrite named = columns.and(nameColumns(width.orElse(1), names(rid())));
    return shape.onConflict >= 0 && updatesOnConflict() ? named.and(givesIds(0)) : named;
  }

  private Rewrite columnsAround(List<SelectBlock> blocks) throws NotUnderstood {
    if (blocks.stream().anyMatch(b -> b.orderBy >= 0)) {
      throw new NotUnderstood(GapReason.SHAPE, "INSERT from an ordered query without duplicates");
    }
    String query = "select *, " + rid() + ", " + Auxiliary.typedToken(context.dialect());
    return context
        .before(shape.source, query + " from (")
        .and(context.after(shape.sourceEnd - 1, ")" + upsertGuard()));
  }

  private Rewrite columnsWithin(List<SelectBlock> blocks) throws NotUnderstood {
    String rid = rid().isEmpty() ? "" : ", " + rid();
    String added = rid + ", " + Auxiliary.typedToken(context.dialect());
    Rewrite columns = Rewrite.NONE;
    for (SelectBlock block : blocks) {
      if (block.listTo <= block.listFrom || block.into >= 0) {
        throw new NotUnderstood(GapReason.SHAPE, "INSERT from a query without columns");
      }
      columns = columns.and(context.after(block.listTo - 1, added));
    }
    return columns;
  }

  /** SQLite needs a WHERE between a query and ON CONFLICT. */
  private String upsertGuard() {
    return shape.onConflict >= 0 ? " where true" : "";
  }

  /** What an upsert assigns to a row that is there names its writer, too. */
  private Rewrite conflict() throws NotUnderstood {
    if (shape.onConflict < 0) {
      return Rewrite.NONE;
    }
    if (tokens.isWord(shape.onConflict + 1, "DUPLICATE")) {
      return onDuplicateKey();
    }
    Rewrite all = Rewrite.NONE;
    for (OnConflict conflict : shape.conflicts) {
      List<Assignment> updates = conflict.updates();
      if (!updates.isEmpty()) {
        String qualifier = target.exposedName() + ".";
        String assignment = Auxiliary.appendWriter(context.dialect(), "", qualifier);
        int last = updates.get(updates.size() - 1).span().to() - 1;
        all = all.and(context.after(last, ", " + assignment));
      }
    }
    return all;
  }

  private Rewrite onDuplicateKey() throws NotUnderstood {
    int end = shape.returning >= 0 ? shape.returning : shape.to;
    String name = Identifiers.fold(target.exposedName());
    for (Source.Table table : shape.tables) {
      if (table.from() != target.from() && Identifiers.fold(table.exposedName()).equals(name)) {
        throw new NotUnderstood(GapReason.SHAPE, "an upsert that reads its target by its name");
      }
    }
    return WriteStrategy.appendWriter(context, target, shape.onConflict + 4, end);
  }

  /**
   * Rows that the driver did not give their ids, and those of an upsert, are returned where that
   * changes nothing: not on MariaDB, where RETURNING leaves ROW_COUNT() at -1, and where an upsert
   * returns one row for what counts as two.
   */
  private Rewrite returnedRows(Optional<NewRows> newRows) {
    if (shape.returning >= 0) {
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
    Returning how = context.dialect().sql().returning(StatementKind.INSERT);
    boolean changes =
        !context.mayReturnRows()
            || shape.kind == StatementKind.REPLACE
            || (how == Returning.DELTA_TABLE && shape.onConflict >= 0)
            || (context.dialect().sql().takesReturningForAlias() && wouldBeAnAlias());
    return changes ? Returning.NONE : how;
  }

  /** Rows whose ids are known are returned only if they carry what the statement reads. */
  private Rewrite rowsForCarriedReads() {
    boolean reads = shape.tables.size() > 1 && shape.kind == StatementKind.INSERT;
    if (!reads || how() != Returning.CLAUSE) {
      return Rewrite.NONE;
    }
    CarriedReads.Columns carried = returnedRows.carried();
    return carried.text().isEmpty() ? carried.rewrite() : returnedRows.byClause(shape.to - 1);
  }

  private Rewrite rowsOfUnknownIds() {
    Returning how = how();
    if (how != Returning.NONE) {
      return returnedRows.by(how, shape.to - 1);
    }
    if (shape.kind == StatementKind.REPLACE) {
      return Rewrite.NONE;
    }
    WriteReads.Planned after = WriteReads.after(context, target);
    return !after.isComplete() && shape.onConflict >= 0 && shape.rows.isEmpty()
        ? Rewrite.unseen(GapReason.SHAPE, "an upsert: whether it inserts or updates is not seen")
        : after.rewrite();
  }

  /** {@code … FROM t returning} may give a table an alias. */
  private boolean wouldBeAnAlias() {
    if (shape.sourceKind != RowsFrom.QUERY || shape.onConflict >= 0) {
      return false;
    }
    SelectBlock last = null;
    for (SelectBlock block : shape.blocks) {
      last = block.role == SelectBlock.Role.SOURCE ? block : last;
    }
    return last == null || last.where < 0;
  }
}
