package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Keeps an UPDATE that changes nothing from changing something, on MySQL and MariaDB.
 *
 * <p>These compare the new row with the old one, byte by byte in the columns assigned, and leave
 * the row alone if they are equal: it counts as matched, not as changed ({@code useAffectedRows}, 0
 * or 2 of ON DUPLICATE KEY UPDATE), no {@code ON UPDATE CURRENT_TIMESTAMP} fires, no version is
 * made, so none is visible to a snapshot. A writer appended without looking would change all that.
 *
 * <p>So the writer is appended only if some assigned column changed. In UPDATE of one table, and in
 * ON DUPLICATE KEY UPDATE, assignments are carried out from left to right, each seeing what those
 * before it did, and a column may be assigned twice. The first assignment puts the text of the
 * columns ({@link ColumnText}) before the writers' list; then come the application's; the last one
 * takes the text off again and appends the token if the columns' text is another now:
 *
 * <pre>
 *   SET txw_wl = concat_ws(',', txw_wl, ';', TEXT(a), '', TEXT(b)),
 *       a = …, b = …,
 *       txw_wl = right(concat(substring_index(txw_wl, ',', 1),
 *                             if(txw_wl like concat_ws(',', '%;', TEXT(a), '', TEXT(b)), '', TOKEN)),
 *                      112)
 * </pre>
 *
 * What is NULL is left out by {@code concat_ws}, the empty texts between show where. Nothing in the
 * list or in a text is a wildcard, a comma or a semicolon. It is written this way for the sake of
 * the DBMS's parser, which takes longer over it than what it says takes to do.
 *
 * <p>No variable of the session is touched, nothing is evaluated twice, every function is
 * deterministic, and there is nothing to warn of. What may be too long for the room that the column
 * has beside the list ({@link #COLUMN_LENGTH}) is put there as one digest. Where the mode {@code
 * SIMULTANEOUS_ASSIGNMENT} is set, MariaDB refuses it.
 *
 * <p>MySQL compares two JSON documents by their meaning (1 and 1.0 are the same), for which there
 * is no text. A trigger before the UPDATE may change the row after the last assignment. An UPDATE
 * that joins its table with that of a subquery, as MySQL does for IN and EXISTS and MariaDB where
 * the subquery reads the table that is updated, computes all assignments from the old row. There
 * {@link ComparedGuard} stands in. Where the assigned values show by themselves whether they change
 * anything, {@link ValueGuard} does, for it costs half as much.
 */
final class ChangeGuard {

  /** How long {@code txw_wl} is: room for several texts, and a length of one byte. */
  static final int COLUMN_LENGTH = 252;

  /** How long it is in tables that were prepared when there was room for one short digest. */
  static final int SHORT_COLUMN_LENGTH = 140;

  /** What stands between the list and the text. */
  private static final String MARK = ",;,";

  /** What stands between two texts. */
  private static final String BETWEEN = ",,";

  private final Draft draft;
  private final TableRef target;
  private final Catalog.Table table;

  private ChangeGuard(Draft draft, TableRef target) {
    this.draft = draft;
    this.target = target;
    this.table = draft.tables.find(target).orElseThrow();
  }

  /**
   * Appends the writer to a list of assignments.
   *
   * @param from the list's first token
   * @param to the token after it
   * @throws NotUnderstood if it cannot be done without changing what the statement does
   */
  static void append(Draft draft, TableRef target, int from, int to) throws NotUnderstood {
    new ChangeGuard(draft, target).append(from, to);
  }

  private void append(int from, int to) throws NotUnderstood {
    if (table.traits().beforeUpdate()) {
      throw new NotUnderstood(GapReason.SHAPE, "a trigger before UPDATE may change the row");
    }
    if (isUnseenIfWrittenAnew()) {
      draft.splices.before(
          from, "%s = %s, ".formatted(Auxiliary.WL, Auxiliary.appended(Auxiliary.WL)));
      draft.assumed = Assumed.autocommitted(ValueGuard.assumed(draft, table.traits(), from, to));
      return;
    }
    draft.mayLeaveUnnamed |= mayAssignNullOverDefault(from, to);
    if (draft.shape.kind == StatementKind.UPDATE && mayBeJoined()) {
      ComparedGuard.append(draft, List.of(target));
      return;
    }
    boolean update = draft.shape.kind == StatementKind.UPDATE;
    if (update && ValueGuard.append(draft, table.traits(), from, to)) {
      return;
    }
    String text = text(assigned(from, to));
    String list = qualifier() + Auxiliary.WL;
    draft.splices.before(
        from, "%s = concat_ws(',', %s, ';', %s), ".formatted(Auxiliary.WL, list, text));
    draft.splices.after(
        to - 1,
        (", %1$s = right(concat(substring_index(%2$s, ',', 1),"
                + " if(%2$s like concat_ws(',', '%%;', %3$s), '', %4$s)), %5$d)")
            .formatted(Auxiliary.WL, list, text, Auxiliary.TOKEN, WriterList.WINDOW_LENGTH));
  }

  /**
   * True if it is one row at most that the UPDATE may write anew, and nothing shows whether it did,
   * provided that it is a transaction of its own: no snapshot of the transaction shows the row
   * afterwards, and it is in nobody's way longer than it would be otherwise.
   */
  private boolean isUnseenIfWrittenAnew() {
    return draft.shape.kind == StatementKind.UPDATE
        && draft.alone
        && draft.shape.innerWrites.isEmpty()
        && draft.tables.writtenAnewUnseen(table.traits())
        && !mayBeJoined()
        && KeyedRows.of(draft).role() == KeyedRow.Role.WRITES;
  }

  /**
   * MySQL compares the buffers of the old and the new row. What lies under a NULL that was read is
   * the column's default, under one that was assigned it is zero: so there InnoDB makes a version
   * of a row that is the same, and MySQL counts none.
   */
  private boolean mayAssignNullOverDefault(int from, int to) {
    Set<String> columns = table.traits().nullOverDefault();
    if (draft.dialect != Dialect.MYSQL || columns.isEmpty()) {
      return false;
    }
    Tokens tokens = draft.tokens;
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

  /** In an UPDATE of one table a name is that table's; in an upsert there may be others. */
  private String qualifier() {
    return draft.shape.kind == StatementKind.UPDATE ? "" : target.exposedName() + ".";
  }

  /**
   * True if the DBMS may join the table with that of a subquery: not where the subquery is an
   * operand of a comparison, so that it is a value, and does not read the table that is updated.
   */
  private boolean mayBeJoined() {
    StatementShape shape = draft.shape;
    for (TableRef other : shape.tables) {
      boolean same =
          other.from() != target.from() && draft.tables.display(other).equals(table.name());
      if (same) {
        return true;
      }
    }
    for (SelectBlock block : shape.blocks) {
      boolean inWhere = shape.where >= 0 && block.select > shape.where;
      int open = block.select - 1;
      boolean value = draft.tokens.isOpen(open) && draft.tokens.is(open - 1, TokenKind.OPERATOR);
      boolean within =
          shape.blocks.stream().anyMatch(b -> b.select < block.select && block.select < b.end);
      if (inWhere && !value && !within) {
        return true;
      }
    }
    return false;
  }

  /** The columns that are assigned. */
  private List<ColumnText> assigned(int from, int to) throws NotUnderstood {
    Tokens tokens = draft.tokens;
    Map<String, ColumnText> columns = new LinkedHashMap<>();
    for (Span assignment : tokens.items(from, to)) {
      int name = assignment.from();
      while (tokens.is(name + 1, TokenKind.DOT)) {
        name += 2;
      }
      if (!tokens.isName(name)
          || name + 1 >= to
          || !(tokens.isOperator(name + 1, '=')
              || (tokens.is(name + 1, TokenKind.OPERATOR) && tokens.text(name + 1).equals(":=")))) {
        throw new NotUnderstood("an assignment that does not begin with a column");
      }
      String column = tokens.folded(name);
      columns.put(column, columnText(name, column));
    }
    return new ArrayList<>(columns.values());
  }

  private ColumnText columnText(int token, String folded) throws NotUnderstood {
    String name = draft.tokens.text(token);
    String type = table.traits().types().get(folded);
    if (type == null) {
      throw new NotUnderstood(GapReason.SHAPE, "a column of an unknown type");
    }
    boolean quoted = !draft.tokens.is(token, TokenKind.WORD);
    return ColumnText.of(qualifier() + (quoted ? name : '`' + name + '`'), type);
  }

  /** The texts of columns, in the room that there is. */
  private String text(List<ColumnText> columns) {
    String type = table.traits().types().getOrDefault(Auxiliary.WL, "");
    int length = WritersColumn.isLong(type) ? COLUMN_LENGTH : SHORT_COLUMN_LENGTH;
    int room = length - WriterList.WINDOW_LENGTH - MARK.length();
    if (length(columns) <= room) {
      return joined(columns, ColumnText::inAscii);
    }
    boolean one = columns.size() == 1 && columns.get(0).isDigest();
    ColumnText all =
        one
            ? columns.get(0)
            : ColumnText.digest("concat_ws(',', " + joined(columns, ColumnText::expression) + ")");
    return all.length() <= room ? all.inAscii() : "left(" + all.inAscii() + ", " + room + ")";
  }

  private static int length(List<ColumnText> columns) {
    return columns.stream().mapToInt(ColumnText::length).sum()
        + BETWEEN.length() * (columns.size() - 1);
  }

  private static String joined(List<ColumnText> columns, Function<ColumnText, String> as) {
    return columns.stream().map(as).collect(Collectors.joining(", '', "));
  }
}
