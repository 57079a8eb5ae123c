package io.txwatch.prepare;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** What an error of DDL means, in words for people. */
public final class DdlErrors {

  private DdlErrors() {}

  /** True if a lock was not to be had in the time given, or the time given was over. */
  public static boolean isLock(SQLException e) {
    String state = state(e);
    int code = e.getErrorCode();
    return state.equals("55P03")
        || state.equals("40P01")
        || state.equals("40001")
        || code == 1205
        || code == 1213
        || code == 3572
        || code == 50200
        || code == 40001
        || isSqliteBusy(e);
  }

  /** True if the server gives no further connection to this user, or to anybody. */
  static boolean isConnectionLimit(SQLException e) {
    int code = e.getErrorCode();
    return state(e).equals("53300") || code == 1040 || code == 1203 || code == 1226;
  }

  /** True if the connection is gone. */
  static boolean isConnectionLost(SQLException e) {
    return state(e).startsWith("08");
  }

  /** True if MySQL cannot do a change in the way that the statement asks for. */
  public static boolean isOtherAlgorithmNeeded(SQLException e) {
    int code = e.getErrorCode();
    return code == 1845 || code == 1846 || code == 4092;
  }

  /** One line: what went wrong and what would help. */
  static String describe(SQLException e) {
    String said = firstLine(e);
    if (isLock(e)) {
      return "a lock was not to be had in time, try again when there is less traffic ("
          + said
          + ")";
    }
    if (state(e).equals("57014") || e.getErrorCode() == 57014 || e.getErrorCode() == 1969) {
      return "it takes too long to do while the application runs: use txwatch prepare ("
          + said
          + ")";
    }
    if (isOfValues(e)) {
      return "a row has values that the change does not accept (SQLState "
          + state(e)
          + ", code "
          + e.getErrorCode()
          + ")";
    }
    if (isRights(e)) {
      return "no rights to change it: prepare as its owner (" + said + ")";
    }
    return said;
  }

  private static boolean isRights(SQLException e) {
    int code = e.getErrorCode();
    return state(e).equals("42501")
        || code == 1142
        || code == 1044
        || code == 1227
        || code == 90096
        || code == 90040
        || firstLine(e).toLowerCase(Locale.ROOT).contains("readonly database");
  }

  /** True for an error whose message may quote what is in a row. */
  private static boolean isOfValues(SQLException e) {
    return state(e).startsWith("22") || state(e).startsWith("23");
  }

  private static boolean isSqliteBusy(SQLException e) {
    String said = firstLine(e);
    return said.contains("SQLITE_BUSY") || said.contains("SQLITE_LOCKED");
  }

  private static String state(SQLException e) {
    return Optional.ofNullable(e.getSQLState()).orElse("");
  }

  private static String firstLine(SQLException e) {
    String message = Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
    return message.strip().split("\\R|; SQL statement", 2)[0].strip();
  }
}
