package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.WriterList;
import io.txwatch.plan.Catalog;

/** The auxiliary columns in each dialect's words. */
final class Auxiliary {

  /** The row's id. */
  static final String RID = Catalog.ROW_ID_COLUMN;

  /** The writers' list. */
  static final String WL = Catalog.WRITERS_COLUMN;

  /** Stands for the writer token in what is spliced in. */
  static final char TOKEN = '\uE000';

  /** Stands, each time for another one, for a new row's id that the driver gives. */
  static final char ROW_ID = '\uE001';

  /** Stands for a parameter of the application's once more; a character with its number follows. */
  static final char AGAIN = '\uE002';

  private Auxiliary() {}

  /** A parameter of the application's, once more. */
  static String again(int number) {
    return "" + AGAIN + (char) number;
  }

  /** {@code alias.txw_rid, alias.txw_wl}. */
  static String pair(String alias) {
    return alias + "." + RID + ", " + alias + "." + WL;
  }

  /** The token as a value of an INSERT's VALUES, where the column gives the type. */
  static String tokenAsValue() {
    return String.valueOf(TOKEN);
  }

  /** The token as an expression that has a type of its own. */
  static String typedToken(DialectSql sql) {
    return sql.textValue(tokenAsValue());
  }

  /**
   * {@code txw_wl = <the window with the token appended>}: an assignment for SET. On MySQL and
   * MariaDB {@link ChangeGuard} appends it.
   *
   * @param target qualifies the assigned column, with its dot, or is empty
   * @param source qualifies the column read
   */
  static String appendWriter(DialectSql sql, String target, String source) {
    if (sql.skipsUnchangedRows()) {
      throw new IllegalStateException("an UPDATE that changes nothing must stay one");
    }
    String list = "coalesce(" + source + WL + ", '')";
    String appended = sql.concatenate(list, typedToken(sql));
    return target + WL + " = right(" + appended + ", " + WriterList.WINDOW_LENGTH + ")";
  }

  /** The window {@code list} with the token appended, in the words of MySQL and MariaDB. */
  static String appended(String list) {
    return "right(concat(%s, %s), %d)".formatted(list, TOKEN, WriterList.WINDOW_LENGTH);
  }

  /** A stored name in quotes that no dialect takes for a string. */
  static String quote(DialectSql sql, String name) {
    return sql.quote(name);
  }
}
