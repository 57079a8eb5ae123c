package io.txwatch.catalog;

import io.txwatch.history.Database;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.util.regex.Pattern;

/**
 * Whether anything shows, on MySQL and MariaDB, that an UPDATE which is a transaction of its own
 * wrote a row anew with the values that it had, where the DBMS would have left it alone.
 *
 * <p>InnoDB holds the same locks on the row either way, and lets go of them at the same time; no
 * snapshot of the transaction outlives it, and those of others show the same values. What is left:
 * the count of rows, if the driver asks for those that were changed ({@code useAffectedRows});
 * sessions whose snapshot is in conflict with every later writer ({@code
 * innodb_snapshot_isolation}); clusters that certify what was written (Galera, group replication).
 * In doubt it is visible.
 */
final class NoOpUpdateVisibility {

  private static final Pattern MAY_CONFLICT =
      Pattern.compile("innodb_snapshot_isolation", Pattern.CASE_INSENSITIVE);

  private final boolean alone;

  private NoOpUpdateVisibility(boolean alone) {
    this.alone = alone;
  }

  static NoOpUpdateVisibility of(Database database) {
    boolean known = database.product().equals("MySQL") || database.product().equals("MariaDB");
    return new NoOpUpdateVisibility(
        known
            && isOff(database, "innodb_snapshot_isolation")
            && isOff(database, "wsrep_on")
            && !database.settings().containsKey("group_replication_single_primary_mode"));
  }

  private static boolean isOff(Database database, String setting) {
    String value = database.settings().getOrDefault(setting, "OFF");
    return value.equalsIgnoreCase("OFF") || value.equals("0");
  }

  /**
   * True if nobody can, in a session that has just been opened.
   *
   * @param completionType {@code @@completion_type}: what a COMMIT is followed by
   */
  boolean areUnseen(Connection connection, String completionType) {
    boolean none = completionType.equalsIgnoreCase("NO_CHAIN") || completionType.equals("0");
    return alone && none && countsFoundRows(connection);
  }

  /** True if snapshots of some session may be in conflict with later writers by now. */
  static boolean mayConflictAfter(String sql) {
    return MAY_CONFLICT.matcher(sql).find();
  }

  /**
   * True if the driver asks for the rows that an UPDATE finds, as both drivers do by default. The
   * server does not show, nor does JDBC; so the drivers' own settings are looked at, once for each
   * connection, and what is not as expected there is taken for the worst.
   */
  static boolean countsFoundRows(Connection connection) {
    try {
      String name = connection.getClass().getName();
      if (name.startsWith("org.mariadb.jdbc.")) {
        Object settings = call(call(connection, "getContext"), "getConf");
        return Boolean.FALSE.equals(call(settings, "useAffectedRows"));
      }
      if (name.startsWith("com.mysql.cj.jdbc.")) {
        Object settings = call(connection, "getPropertySet");
        Object setting =
            settings
                .getClass()
                .getMethod("getBooleanProperty", String.class)
                .invoke(settings, "useAffectedRows");
        return Boolean.FALSE.equals(call(setting, "getValue"));
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      return false;
    }
    return false;
  }

  private static Object call(Object on, String method)
      throws NoSuchMethodException, IllegalAccessException, InvocationTargetException {
    return on.getClass().getMethod(method).invoke(on);
  }
}
