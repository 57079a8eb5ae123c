package io.txwatch.jdbc;

import io.txwatch.capture.TransactionRules;
import io.txwatch.history.StatementKind;
import io.txwatch.prepare.AuxiliaryColumns;
import io.txwatch.sql.Dialect;
import io.txwatch.sql.RewritePlan;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The errors of drivers: whether one comes from what we added to a text, and what is put right
 * about it so that it speaks of the application's text. Class, SQLState and vendor code are never
 * touched.
 */
final class VendorErrors {

  /** SQLite's code for everything that is wrong with a text. */
  private static final int SQLITE_ERROR = 1;

  private static final Pattern BATCH_ENTRY =
      Pattern.compile("(?s)Batch entry (?<item>\\d{1,9}) (?<text>.*?)(?<rest> was aborted.*)");

  private static final int H2_NO_RIGHTS = 90096;

  /** PostgreSQL's SQLState. */
  private static final String UNDEFINED_COLUMN = "42703";

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
    if (cached.isProven() && error.getErrorCode() != H2_NO_RIGHTS) {
      return false; // the DBMS has taken this very text before
    }
    if (cached.kind() == StatementKind.INSERT
        && (dialect == Dialect.POSTGRESQL || dialect == Dialect.SQLITE)) {
      // Where our columns are visible, a text with too many values would fill them; but a column
      // that is not there may be one that we named, of a table that is not what it was.
      return isUnknownColumn(error);
    }
    String state = error.getSQLState();
    int code = error.getErrorCode();
    return (state != null && state.startsWith("42"))
        || (dialect == Dialect.SQLITE && (code & 0xff) == SQLITE_ERROR)
        || (dialect == Dialect.H2 && code == H2_NO_RIGHTS)
        || ((dialect == Dialect.MYSQL || dialect == Dialect.MARIADB) && code == AMBIGUOUS_COLUMN);
  }

  private static boolean isUnknownColumn(SQLException error) {
    return UNDEFINED_COLUMN.equals(error.getSQLState())
        || String.valueOf(error.getMessage()).contains("has no column named");
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
    return cached.plan().isRewritten() && PostgresErrors.showsOurColumns(error)
        ? PostgresErrors.withoutOurColumns(error)
        : error;
  }

  /** pgjdbc's error of a batch repeats the text that failed, with its parameters filled in. */
  static BatchUpdateException ofBatch(BatchUpdateException error, List<CachedPlan> items) {
    Matcher message = BATCH_ENTRY.matcher(String.valueOf(error.getMessage()));
    if (error.getClass() != BatchUpdateException.class || !message.matches()) {
      return error;
    }
    int item = Integer.parseInt(message.group("item"));
    if (item >= items.size() || !items.get(item).plan().isRewritten()) {
      return error;
    }
    CachedPlan cached = items.get(item);
    BatchUpdateException shown =
        new BatchUpdateException(
            "Batch entry "
                + item
                + " "
                + filledIn(cached.plan(), message.group("text"))
                + PostgresErrors.withoutOurValues(message.group("rest")),
            error.getSQLState(),
            error.getErrorCode(),
            error.getLargeUpdateCounts(),
            error.getCause());
    SQLException next = error.getNextException();
    if (next != null) {
      shown.setNextException(of(next, cached));
    }
    shown.setStackTrace(error.getStackTrace());
    return shown;
  }

  /** The application's text with the values that stand in ours; as it is if they are not found. */
  private static String filledIn(RewritePlan plan, String ours) {
    String[] around = plan.preparedSql().split("\\?", -1);
    String[] pieces = plan.original().split("\\?", -1);
    int places = plan.parameterCount() + plan.addedParameters();
    if (around.length - 1 != places || pieces.length - 1 != plan.parameterCount()) {
      return plan.original(); // some question mark is no parameter
    }
    StringBuilder pattern = new StringBuilder("(?s)");
    for (int i = 0; i < around.length; i++) {
      pattern.append(i == 0 ? "" : "(.*?)").append(Pattern.quote(around[i]));
    }
    Matcher values = Pattern.compile(pattern.toString()).matcher(ours);
    if (!values.matches()) {
      return plan.original();
    }
    StringBuilder filled = new StringBuilder(pieces[0]);
    for (int i = 1; i < pieces.length; i++) {
      filled.append(values.group(plan.parameterIndex()[i - 1])).append(pieces[i]);
    }
    return filled.toString();
  }
}
