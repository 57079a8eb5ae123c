package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.RowKey.Replaced;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.OnConflict;
import io.txwatch.sql.syntax.Statement.RowsFrom;
import io.txwatch.sql.syntax.Tokens;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * INSERT and REPLACE (IsoRel, Table 1, rows 6, 9 and 10): the writer token in every new row. The
 * rows of VALUES get their ids from the driver, which so knows them ({@link NewRows}); those of a
 * query get them from the column's default. Without a column list the columns are named from the
 * catalog: so the values stay where they belong, whatever was added to the table since.
 */
final class InsertRewriter {

  private final Draft draft;
  private final Tokens tokens;
  private final StatementShape shape;
  private final TableRef target;

  private InsertRewriter(Draft draft) {
    this.draft = draft;
    this.tokens = draft.tokens;
    this.shape = draft.shape;
    this.target = Objects.requireNonNull(shape.target);
  }

  static void rewrite(Draft draft) throws NotUnderstood {
    new InsertRewriter(draft).run();
  }

  private void run() throws NotUnderstood {
    Optional<GapReason> reason = draft.tables.reason(target);
    if (reason.isPresent()) {
      draft.unseen(reason.get(), draft.tables.display(target));
      return;
    }
    if (!draft.tables.versions(target).marksWrites()) {
      Set<Integer> observed = new HashSet<>();
      observed.add(target.from());
      if (draft.tables.key(target).map(RowKey::returnsInserted).orElse(true)) {
        if (draft.mayReturnRows
            && WriteRewriter.replaced(draft, target).equals(Optional.of(Replaced.KEPT))) {
          keepReplaced();
        }
        returning(observed);
      } else {
        draft.unseen(GapReason.SHAPE, "an INSERT into a partitioned table");
      }
      if (draft.returns == RewritePlan.Returns.NOTHING) {
        draft.unseen(GapReason.SHAPE, "an INSERT that may not return rows");
      }
      WriteRewriter.reads(draft, observed);
      return;
    }
    switch (Objects.requireNonNull(shape.sourceKind)) {
      case VALUES -> values();
      case QUERY -> query();
      case DEFAULT_VALUES -> {
        if (draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB) {
          throw new NotUnderstood("DEFAULT VALUES, which " + draft.dialect + " does not know");
        }
        draft.splices.replace(
            shape.source,
            shape.source + 2,
            "(" + names(newRid()) + ") values (" + newRowValues() + ")");
        givesIds(1);
      }
      case SET -> {
        String rid = newRid().isEmpty() ? "" : Auxiliary.RID + " = " + newRid() + ", ";
        draft.splices.after(shape.sourceEnd - 1, ", " + rid + Auxiliary.WL + " = " + token());
        givesIds(1);
      }
    }
    conflict();
    Set<Integer> observed = new HashSet<>();
    observed.add(target.from());
    returning(observed);
    if (shape.kind == StatementKind.REPLACE) {
      replaces();
    }
    WriteRewriter.reads(draft, observed);
  }

  /** Rows that the INSERT updates instead return the version that they replaced. */
  private void keepReplaced() {
    String keeps = draft.tables.versions(target).keepsReplaced(target.exposedName() + ".");
    for (OnConflict conflict : shape.conflicts) {
      if (!conflict.updates().isEmpty()) {
        int last = conflict.span().to() - 1;
        if (conflict.where().isPresent()) {
          draft.splices.after(conflict.where().get().span().from(), " (");
          draft.splices.after(last, ") and " + keeps);
        } else {
          draft.splices.after(last, " where " + keeps);
        }
      }
    }
  }

  /**
   * The rows in the way are read before by the keys. On MySQL and MariaDB the update count says
   * whether there were any: whoever carries it out knows what is missing. On SQLite it does not:
   * there they are asked for by every key, or it is said that they are not seen.
   */
  private void replaces() {
    boolean counts =
        (draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB)
            && draft.newRows.isPresent()
            && shape.returning < 0;
    boolean asks = counts || draft.dialect == Dialect.SQLITE;
    boolean allAsked = asks && WriteReads.replaced(draft, target);
    if (!counts && !allAsked) {
      draft.unseen(GapReason.SHAPE, NewRows.TAKEN_AWAY);
    }
  }

  /** An id for each row of a query; empty if the column's default gives it. */
  private String rid() {
    return Auxiliary.newRid(draft.dialect);
  }

  /** An id for a row of VALUES: the driver's, unless the text holds other statements too. */
  private String newRid() {
    return draft.alone ? String.valueOf(Auxiliary.ROW_ID) : rid();
  }

  private String newRowValues() {
    return newRid().isEmpty() ? token() : newRid() + ", " + token();
  }

  private void givesIds(int rows) {
    if (draft.alone) {
      draft.newRows = Optional.of(new NewRows(draft.tables.display(target), rows, fate()));
    }
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

  private void values() throws NotUnderstood {
    int width = width(shape.rows.get(0));
    for (int row : shape.rows) {
      if (width(row) != width) {
        throw new NotUnderstood("rows of different width");
      }
    }
    boolean empty = width == 0;
    if (empty && (draft.dialect == Dialect.POSTGRESQL || draft.dialect == Dialect.SQLITE)) {
      throw new NotUnderstood("VALUES (), which " + draft.dialect + " does not know");
    }
    nameColumns(width, names(newRid()));
    for (int row : shape.rows) {
      int last = tokens.partner(row) - 1;
      draft.splices.after(last, (empty ? "" : ", ") + newRowValues());
    }
    nameAliases(width);
    givesIds(shape.rows.size());
  }

  /** MySQL's {@code VALUES (…) AS new(a, b)} names every column, ours too. */
  private void nameAliases(int width) throws NotUnderstood {
    int alias = tokens.partner(shape.rows.get(shape.rows.size() - 1)) + 1;
    if (alias >= shape.sourceEnd || !tokens.isOpen(alias + 2)) {
      return;
    }
    if (width == 0) {
      throw new NotUnderstood(GapReason.SHAPE, "aliases of no columns");
    }
    draft.splices.after(tokens.partner(alias + 2) - 1, ", " + names(newRid()));
  }

  /** Adds our names to the column list, or makes one. */
  private void nameColumns(int width, String names) throws NotUnderstood {
    if (shape.columns >= 0) {
      int close = tokens.partner(shape.columns);
      boolean none = close == shape.columns + 1;
      if (none != (width == 0)) {
        throw new NotUnderstood("columns and values differ in number");
      }
      draft.splices.after(close - 1, none ? names : ", " + names);
      return;
    }
    if (width == 0) {
      draft.splices.after(target.to() - 1, " (" + names + ")");
      return;
    }
    int columns = columns().size();
    boolean fewerAllowed = draft.dialect == Dialect.POSTGRESQL && width > 0;
    if (width > columns || (width < columns && !fewerAllowed)) {
      throw new NotUnderstood(
          GapReason.SHAPE, "the catalog knows " + columns + " columns, there are " + width);
    }
    draft.splices.after(target.to() - 1, columnList(width, ", " + names));
  }

  private List<String> columns() {
    return draft.tables.find(target).orElseThrow().columns();
  }

  private String columnList(int width, String more) {
    StringBuilder list = new StringBuilder();
    for (String column : columns().subList(0, width)) {
      list.append(list.isEmpty() ? " (" : ", ").append(Auxiliary.quote(draft.dialect, column));
    }
    return list + more + ")";
  }

  /**
   * What an INSERT without a column list needs even if it carries nothing: on SQLite the values
   * must be as many as the columns, ours included, unless the columns are named; on PostgreSQL
   * there may be fewer, but too many would be taken for ours.
   */
  static void nameVisibleColumns(Draft draft) {
    StatementShape shape = draft.shape;
    TableRef target = shape.target;
    if (target == null || shape.columns >= 0 || !draft.tables.showsAuxiliary(target)) {
      return;
    }
    InsertRewriter rewriter = new InsertRewriter(draft);
    int columns = rewriter.columns().size();
    if (columns == 0) {
      return;
    }
    boolean values = shape.sourceKind == RowsFrom.VALUES;
    boolean needed =
        switch (draft.dialect) {
          case SQLITE -> values || shape.sourceKind == RowsFrom.QUERY;
          case POSTGRESQL ->
              values && shape.rows.stream().anyMatch(row -> rewriter.width(row) > columns);
          case MYSQL, MARIADB, H2 -> false;
        };
    if (needed) {
      draft.splices.after(target.to() - 1, rewriter.columnList(columns, ""));
    }
  }

  private int width(int open) {
    return tokens.items(open + 1, tokens.partner(open)).size();
  }

  /**
   * The token is the same in every row, so it may stand in every branch of a set operation, and
   * under DISTINCT and GROUP BY. A row id may not: there it is put around the query.
   */
  private void query() throws NotUnderstood {
    List<SelectBlock> blocks =
        shape.blocks.stream().filter(b -> b.role == SelectBlock.Role.SOURCE).toList();
    if (blocks.isEmpty() || shape.otherSource) {
      throw new NotUnderstood(GapReason.SHAPE, "INSERT from a query with VALUES or TABLE");
    }
    OptionalInt width = StarGuard.width(draft, blocks.get(0));
    if (width.isEmpty() && shape.columns < 0) {
      throw new NotUnderstood(GapReason.SHAPE, "INSERT of a star over an unknown source");
    }
    boolean distinct = blocks.stream().anyMatch(b -> b.distinct);
    if (!rid().isEmpty() && (shape.setOperation || distinct)) {
      if (blocks.stream().anyMatch(b -> b.orderBy >= 0)) {
        throw new NotUnderstood(GapReason.SHAPE, "INSERT from an ordered query without duplicates");
      }
      draft.splices.before(
          shape.source,
          "select *, " + rid() + ", " + Auxiliary.typedToken(draft.dialect) + " from (");
      draft.splices.after(shape.sourceEnd - 1, ")" + upsertGuard());
    } else {
      String added =
          (rid().isEmpty() ? "" : ", " + rid()) + ", " + Auxiliary.typedToken(draft.dialect);
      for (SelectBlock block : blocks) {
        if (block.listTo <= block.listFrom || block.into >= 0) {
          throw new NotUnderstood(GapReason.SHAPE, "INSERT from a query without columns");
        }
        draft.splices.after(block.listTo - 1, added);
      }
    }
    nameColumns(width.orElse(1), names(rid()));
    if (shape.onConflict >= 0 && updatesOnConflict()) {
      givesIds(0);
    }
  }

  /** SQLite needs a WHERE between a query and ON CONFLICT. */
  private String upsertGuard() {
    return shape.onConflict >= 0 ? " where true" : "";
  }

  private void conflict() throws NotUnderstood {
    if (shape.onConflict < 0) {
      return;
    }
    if (tokens.isWord(shape.onConflict + 1, "DUPLICATE")) {
      int end = shape.returning >= 0 ? shape.returning : shape.to;
      String name = Identifiers.fold(target.exposedName());
      for (TableRef table : shape.tables) {
        if (table.from() != target.from() && Identifiers.fold(table.exposedName()).equals(name)) {
          throw new NotUnderstood(GapReason.SHAPE, "an upsert that reads its target by its name");
        }
      }
      WriteStrategy.appendWriter(draft, target, shape.onConflict + 4, end);
      return;
    }
    for (OnConflict conflict : shape.conflicts) {
      List<Assignment> updates = conflict.updates();
      if (!updates.isEmpty()) {
        String assignment = Auxiliary.appendWriter(draft.dialect, "", target.exposedName() + ".");
        int last = updates.get(updates.size() - 1).span().to() - 1;
        draft.splices.after(last, ", " + assignment);
      }
    }
  }

  /**
   * Rows that the driver did not give their ids, and those of an upsert, are returned where that
   * changes nothing: not on MariaDB, where RETURNING leaves ROW_COUNT() at -1, and where an upsert
   * returns one row for what counts as two.
   */
  private void returning(Set<Integer> observed) {
    if (shape.returning >= 0 && draft.mayReturnRows) {
      draft.splices.after(shape.to - 1, ", " + pair() + WriteRewriter.carried(draft, observed));
      returns(RewritePlan.Returns.WRITTEN_ROWS_APPENDED);
      return;
    }
    boolean known =
        draft.newRows.map(rows -> rows.fate() != NewRows.Fate.MAY_UPDATE_ANOTHER).orElse(false);
    boolean reads = shape.tables.size() > 1 && shape.kind == StatementKind.INSERT;
    if (!draft.alone || shape.returning >= 0 || (known && !reads)) {
      return;
    }
    boolean replaces = shape.kind == StatementKind.REPLACE;
    boolean returns =
        draft.mayReturnRows
            && !replaces
            && switch (draft.dialect) {
              case POSTGRESQL -> true;
              case SQLITE -> !wouldBeAnAlias();
              case H2 -> shape.onConflict < 0;
              case MYSQL, MARIADB -> false;
            };
    if (known) {
      boolean asks = returns && draft.dialect != Dialect.H2;
      String carried = asks ? WriteRewriter.carried(draft, observed) : "";
      if (!carried.isEmpty()) {
        draft.splices.after(shape.to - 1, " returning " + pair() + carried);
        returns(RewritePlan.Returns.WRITTEN_ROWS);
      }
    } else if (returns && draft.dialect == Dialect.H2) {
      WriteRewriter.deltaTable(draft, observed);
      returns(RewritePlan.Returns.WRITTEN_ROWS);
    } else if (returns) {
      draft.splices.after(
          shape.to - 1, " returning " + pair() + WriteRewriter.carried(draft, observed));
      returns(RewritePlan.Returns.WRITTEN_ROWS);
    } else if (!replaces
        && !WriteReads.after(draft, target)
        && shape.onConflict >= 0
        && shape.rows.isEmpty()) {
      draft.unseen(GapReason.SHAPE, "an upsert: whether it inserts or updates is not seen");
    }
  }

  /** On SQLite {@code … FROM t returning} gives a table an alias. */
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

  private String pair() {
    return WriteRewriter.returningPair(draft, target);
  }

  private void returns(RewritePlan.Returns how) {
    draft.returns = how;
    draft.appended.add(draft.tables.display(target));
  }
}
