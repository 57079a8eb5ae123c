package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.sql.FromNode.TableRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
 * before it did, and a column may be assigned twice. The first assignment puts a digest of the
 * columns before the writers' list; then come the application's; the last one takes the digest off
 * again and appends the token if the columns' digest is another now:
 *
 * <pre>
 *   SET txw_wl = concat(DIGEST(a), txw_wl),
 *       a = …,
 *       txw_wl = right(concat(substr(txw_wl, 29), if(left(txw_wl, 28) = DIGEST(a), '', TOKEN)), 112)
 * </pre>
 *
 * No variable of the session is touched, nothing is evaluated twice, every function is
 * deterministic, and there is nothing to warn of. The column has room for the digest ({@link
 * #COLUMN_LENGTH}). Where the mode {@code SIMULTANEOUS_ASSIGNMENT} is set, MariaDB refuses it.
 *
 * <p>The digest must be another exactly if the bytes are: so a FLOAT is digested in all its digits,
 * and a TIMESTAMP as the instant. MySQL compares two JSON documents by their meaning (1 and 1.0 are
 * the same), for which there is no digest. A trigger before the UPDATE may change the row after the
 * last assignment. An UPDATE that joins its table with that of a subquery, as MySQL does for IN and
 * EXISTS and MariaDB where the subquery reads the table that is updated, computes all assignments
 * from the old row. There {@link ComparedGuard} stands in.
 */
final class ChangeGuard {

  /** Characters of the digest: 112 bits, and a whole number of tokens. */
  static final int DIGEST_LENGTH = 2 * WriterToken.LENGTH;

  /** How long the column {@code txw_wl} must be to hold the digest too. */
  static final int COLUMN_LENGTH = WriterList.WINDOW_LENGTH + DIGEST_LENGTH;

  private static final String NULL = "'" + "-".repeat(DIGEST_LENGTH) + "'";

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
    if (draft.shape.kind == StatementKind.UPDATE && mayBeJoined()) {
      ComparedGuard.append(draft, List.of(target));
      return;
    }
    String digest = digest(assigned(from, to));
    String list = target.exposedName() + "." + Auxiliary.WL;
    draft.splices.before(from, Auxiliary.WL + " = concat(" + digest + ", " + list + "), ");
    draft.splices.after(
        to - 1,
        ", %s = right(concat(substr(%s, %d), if(left(%s, %d) = %s, '', %s)), %d)"
            .formatted(
                Auxiliary.WL,
                list,
                DIGEST_LENGTH + 1,
                list,
                DIGEST_LENGTH,
                digest,
                Auxiliary.TOKEN,
                WriterList.WINDOW_LENGTH));
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

  /** The columns that are assigned, as expressions that tell their bytes. */
  private List<String> assigned(int from, int to) throws NotUnderstood {
    Tokens tokens = draft.tokens;
    Map<String, String> columns = new LinkedHashMap<>();
    boolean start = true;
    for (int i = from; i < to; i = tokens.next(i)) {
      if (start) {
        int name = i;
        while (tokens.is(name + 1, TokenKind.DOT)) {
          name += 2;
        }
        if (!tokens.isName(name)
            || name + 1 >= to
            || !(tokens.isOperator(name + 1, '=')
                || (tokens.is(name + 1, TokenKind.OPERATOR)
                    && tokens.text(name + 1).equals(":=")))) {
          throw new NotUnderstood("an assignment that does not begin with a column");
        }
        String column = QueryScanner.fold(tokens.text(name)).toLowerCase(Locale.ROOT);
        columns.put(column, told(tokens.text(name), column));
      }
      start = tokens.is(i, TokenKind.COMMA);
    }
    return new ArrayList<>(columns.values());
  }

  /** An expression that differs exactly if the column's bytes do. */
  private String told(String name, String folded) throws NotUnderstood {
    String type = table.traits().types().get(folded);
    if (type == null) {
      throw new NotUnderstood(GapReason.SHAPE, "a column of an unknown type");
    }
    String column = target.exposedName() + "." + name;
    String base = type.replaceAll("[^a-z].*", "");
    return switch (base) {
      case "float" -> "cast(" + column + " as double)";
      case "timestamp" -> "unix_timestamp(" + column + ")";
      case "tinyint",
          "smallint",
          "mediumint",
          "int",
          "bigint",
          "decimal",
          "double",
          "bit",
          "year",
          "date",
          "datetime",
          "time",
          "char",
          "varchar",
          "binary",
          "varbinary",
          "tinytext",
          "text",
          "mediumtext",
          "longtext",
          "tinyblob",
          "blob",
          "mediumblob",
          "longblob",
          "enum",
          "set",
          "uuid",
          "inet",
          "geometry",
          "point",
          "linestring",
          "polygon",
          "multipoint",
          "multilinestring",
          "multipolygon",
          "geomcollection",
          "geometrycollection" ->
          column;
      default ->
          throw new NotUnderstood(
              GapReason.SHAPE, "changes of a column of type " + base + " cannot be told");
    };
  }

  private static String digest(List<String> columns) {
    if (columns.size() == 1) {
      return "ifnull(left(convert(sha2(%s, 256) using ascii), %d), %s)"
          .formatted(columns.get(0), DIGEST_LENGTH, NULL);
    }
    List<String> each = columns.stream().map("ifnull(sha2(%s, 256), '-')"::formatted).toList();
    return "left(convert(sha2(concat(%s), 256) using ascii), %d)"
        .formatted(String.join(", ", each), DIGEST_LENGTH);
  }
}
