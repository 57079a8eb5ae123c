package io.txwatch.jdbc;

import io.txwatch.capture.TransactionRules;
import io.txwatch.history.StatementKind;
import io.txwatch.prepare.AuxiliaryColumns;
import io.txwatch.sql.Dialect;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;

/**
 * The errors of drivers: whether one comes from what we added to a text, and what is put right
 * about it so that it speaks of the application's text. Class, SQLState and vendor code are never
 * touched.
 */
final class VendorErrors {

  /** SQLite's code for everything that is wrong with a text. */
  private static final int SQLITE_ERROR = 1;

  private static final int H2_NO_RIGHTS = 90096;

  /** MySQL, MariaDB: a column's name is ambiguous; its SQLState is that of a constraint. */
  private static final int AMBIGUOUS_COLUMN = 1052;

  private VendorErrors() {}

  /** True if an error of a rewritten text may come from what we added. */
  static boolean mayBeOurs(CachedPlan cached, SQLException error, Dialect dialect) {
    if (!cached.plan().isRewritten() || TransactionRules.connectionLost(error)) {
      return false;
    }
    if (isAboutOurs(error)) {
      return true;
    }
    if (cached.kind() == StatementKind.INSERT
        && (dialect == Dialect.POSTGRESQL || dialect == Dialect.SQLITE)) {
      // Where our columns are visible, a text with too many values would fill them.
      return false;
    }
    String state = error.getSQLState();
    int code = error.getErrorCode();
    return (state != null && state.startsWith("42"))
        || (dialect == Dialect.SQLITE && (code & 0xff) == SQLITE_ERROR)
        || (dialect == Dialect.H2 && code == H2_NO_RIGHTS)
        || ((dialect == Dialect.MYSQL || dialect == Dialect.MARIADB) && code == AMBIGUOUS_COLUMN);
  }

  /** True if the message names something of ours, the statement left out that H2 repeats in it. */
  private static boolean isAboutOurs(SQLException error) {
    String message = error.getMessage();
    if (message == null) {
      return false;
    }
    int statement = message.indexOf("; SQL statement:");
    String about = statement < 0 ? message : message.substring(0, statement);
    about = about.toLowerCase(Locale.ROOT);
    return about.contains(AuxiliaryColumns.ROW_ID) || about.contains(AuxiliaryColumns.WRITERS);
  }

  /** Of two errors, of a rewritten text and of the application's own, the one that is raw. */
  static SQLException theApplications(SQLException ours, SQLException raw) {
    boolean same = Objects.equals(ours.getSQLState(), raw.getSQLState());
    return same || isAboutOurs(ours) ? raw : ours;
  }

  /** An error of a rewritten text, speaking of the application's own. */
  static SQLException of(SQLException error, CachedPlan cached) {
    if (cached.plan().isRewritten()
        && error.getClass().getName().startsWith("org.h2.jdbc.JdbcSQL")) {
      try {
        // H2 makes its message of this text; asked by name, for H2 is not ours to link with.
        error.getClass().getMethod("setSQL", String.class).invoke(error, cached.plan().original());
      } catch (ReflectiveOperationException e) {
        return error; // an H2 that has no such method: the message shows our text
      }
    }
    return error;
  }

  /** pgjdbc's error of a batch repeats the text that failed. */
  static BatchUpdateException ofBatch(BatchUpdateException error, CachedPlan cached) {
    String message = error.getMessage();
    if (error.getClass() != BatchUpdateException.class
        || message == null
        || !message.startsWith("Batch entry ")
        || !cached.plan().isRewritten()) {
      return error;
    }
    int end = message.indexOf(" was aborted");
    int begin = message.indexOf(' ', "Batch entry ".length());
    if (begin < 0 || end < begin) {
      return error;
    }
    BatchUpdateException shown =
        new BatchUpdateException(
            message.substring(0, begin + 1) + cached.plan().original() + message.substring(end),
            error.getSQLState(),
            error.getErrorCode(),
            error.getLargeUpdateCounts(),
            error.getCause());
    shown.setNextException(error.getNextException());
    shown.setStackTrace(error.getStackTrace());
    return shown;
  }
}
