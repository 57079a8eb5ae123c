package io.txwatch.sql;

import io.txwatch.history.WriterList;

/** What the rewriter asks of the column {@code txw_wl}. */
public final class WritersColumn {

  private WritersColumn() {}

  /**
   * How many characters it must hold: the window; on MySQL and MariaDB, while an UPDATE is carried
   * out, a digest of the old values besides.
   */
  public static int length(Dialect dialect) {
    return switch (dialect) {
      case MYSQL, MARIADB -> ChangeGuard.COLUMN_LENGTH;
      case POSTGRESQL, H2, SQLITE -> WriterList.WINDOW_LENGTH;
    };
  }
}
