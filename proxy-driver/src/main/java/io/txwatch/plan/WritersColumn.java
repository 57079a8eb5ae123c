package io.txwatch.plan;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.WriterList;

/** What the rewriter needs of the column {@code txw_wl}. */
public final class WritersColumn {

  /** How long it is on MySQL and MariaDB: room for several texts, and a length of one byte. */
  public static final int LENGTH = 252;

  /** How long it is in tables that were prepared when there was room for one short digest. */
  public static final int SHORT_LENGTH = 140;

  private WritersColumn() {}

  /**
   * How many characters it must hold: the window; on MySQL and MariaDB, while an UPDATE is carried
   * out, the text of the old values besides.
   */
  public static int length(DialectSql sql) {
    return sql.skipsUnchangedRows() ? LENGTH : WriterList.WINDOW_LENGTH;
  }

  /** True if it is ours by its type, on MySQL and MariaDB: now, or as it was made before. */
  public static boolean isOurs(String type) {
    return isLong(type) || type.equals("varchar(" + SHORT_LENGTH + ")");
  }

  /** True if it is as long there as it is made now. */
  public static boolean isLong(String type) {
    return type.equals("varchar(" + LENGTH + ")");
  }
}
