package io.txwatch.rewrite;

import io.txwatch.history.WriterList;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.WritersColumn;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.TokenKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Appends the writer to the assignments of an UPDATE or an upsert on MySQL and MariaDB, if some
 * assigned column changed: compares the columns before and after the assignments.
 *
 * <p>These DBMSs compare the new row with the old one, byte by byte in the columns assigned, and
 * leave the row alone if they are equal: it counts as matched, not as changed ({@code
 * useAffectedRows}, 0 or 2 of ON DUPLICATE KEY UPDATE), no {@code ON UPDATE CURRENT_TIMESTAMP}
 * fires, no version is made, so none is visible to a snapshot. If the writer were always appended,
 * every matched row would be a changed row.
 *
 * <p>In UPDATE of one table, and in ON DUPLICATE KEY UPDATE, assignments are carried out from left
 * to right, each seeing what those before it did, and a column may be assigned twice. The first
 * assignment puts the text of the columns ({@link ColumnText}) before the writers' list; then come
 * the application's; the last one takes the text off again and appends the token if the columns'
 * text is another now:
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
 * list or in a text is a wildcard, a comma or a semicolon. It is written this way because the
 * DBMS's parser takes longer than the evaluation.
 *
 * <p>No variable of the session is touched, nothing is evaluated twice, every function is
 * deterministic, and there is nothing to warn of. What may be too long for the room that the column
 * has beside the list ({@link WritersColumn#LENGTH}) is put there as one digest. Where the mode
 * {@code SIMULTANEOUS_ASSIGNMENT} is set, MariaDB refuses it. MySQL compares two JSON documents by
 * their meaning (1 and 1.0 are the same), for which there is no text.
 */
final class ChangeGuard {

  /** What stands between the list and the text. */
  private static final String MARK = ",;,";

  /** What stands between two texts. */
  private static final String BETWEEN = ",,";

  private final RewriteContext context;
  private final AssignmentList assignments;
  private final Source.Table target;
  private final Catalog.Table table;

  private ChangeGuard(AssignmentList assignments) {
    this.context = assignments.context();
    this.assignments = assignments;
    this.target = assignments.target();
    this.table = assignments.table();
  }

  /**
   * Appends the writer to a list of assignments.
   *
   * @throws NotUnderstood if it cannot be done without changing what the statement does
   */
  static Rewrite append(RewriteContext context, Source.Table target, List<Assignment> updates)
      throws NotUnderstood {
    Catalog.Table table = context.tables().find(target).orElseThrow();
    if (table.traits().beforeUpdate()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "a trigger before UPDATE may change the row");
    }
    AssignmentList assignments = new AssignmentList(context, target, table, updates);
    if (assignments.isOfUpdate() && assignments.mayBeJoined()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "an UPDATE whose subquery the DBMS may join");
    }
    Rewrite appended = new ChangeGuard(assignments).append();
    return assignments.mayAssignNullOverDefault()
        ? appended.and(Rewrite.flagged(Rewrite.Flag.MAY_LEAVE_UNNAMED))
        : appended;
  }

  private Rewrite append() throws NotUnderstood {
    String text = text(assigned());
    String list = qualifier() + Auxiliary.WL;
    String first = "%s = concat_ws(',', %s, ';', %s), ".formatted(Auxiliary.WL, list, text);
    String last =
        (", %1$s = right(concat(substring_index(%2$s, ',', 1),"
                + " if(%2$s like concat_ws(',', '%%;', %3$s), '', %4$s)), %5$d)")
            .formatted(Auxiliary.WL, list, text, Auxiliary.TOKEN, WriterList.WINDOW_LENGTH);
    return context.before(assignments.from(), first).and(context.after(assignments.last(), last));
  }

  /** In an UPDATE of one table a name is that table's; in an upsert there may be others. */
  private String qualifier() {
    return assignments.isOfUpdate() ? "" : target.exposedName() + ".";
  }

  /** The columns that are assigned. */
  private List<ColumnText> assigned() throws NotUnderstood {
    Map<String, ColumnText> columns = new LinkedHashMap<>();
    for (Assignment assignment : assignments.assignments()) {
      List<Expression.Name> targets = assignment.targets();
      if (targets.size() != 1 || targets.get(0).span().from() != assignment.span().from()) {
        throw new NotUnderstood("an assignment that does not begin with a column");
      }
      String column = Identifiers.fold(targets.get(0).last());
      columns.put(column, columnText(targets.get(0).span().to() - 1, column));
    }
    return new ArrayList<>(columns.values());
  }

  private ColumnText columnText(int token, String folded) throws NotUnderstood {
    String name = context.tokens().text(token);
    String type = table.traits().types().get(folded);
    if (type == null) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a column of an unknown type");
    }
    boolean quoted = !context.tokens().is(token, TokenKind.WORD);
    return ColumnText.of(qualifier() + (quoted ? name : '`' + name + '`'), type);
  }

  /** The texts of columns, in the room that there is. */
  private String text(List<ColumnText> columns) {
    String type = table.traits().types().getOrDefault(Auxiliary.WL, "");
    int length = WritersColumn.isLong(type) ? WritersColumn.LENGTH : WritersColumn.SHORT_LENGTH;
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
