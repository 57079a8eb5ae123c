package io.txwatch.sql;

import io.txwatch.history.WriterList;
import io.txwatch.sql.dialect.Dialect;

/** What the rewriter asks of the column {@code txw_wl}. */
public final class WritersColumn {

  private WritersColumn() {}

  /**
   * How many characters it must hold: the window; on MySQL and MariaDB, while an UPDATE is carried
   * out, the text of the old values besides.
   */
  public static int length(Dialect dialect) {
    return switch (dialect) {
      case MYSQL, MARIADB -> ChangeGuard.COLUMN_LENGTH;
      case POSTGRESQL, H2, SQLITE -> WriterList.WINDOW_LENGTH;
    };
  }

  /** True if it is ours by its type, on MySQL and MariaDB: now, or as it was made before. */
  public static boolean isOurs(String type) {
    return isLong(type) || type.equals("varchar(" + ChangeGuard.SHORT_COLUMN_LENGTH + ")");
  }

  /** True if it is as long there as it is made now. */
  static boolean isLong(String type) {
    return type.equals("varchar(" + ChangeGuard.COLUMN_LENGTH + ")");
  }
}
