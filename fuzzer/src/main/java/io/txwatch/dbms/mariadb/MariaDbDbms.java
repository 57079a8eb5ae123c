package io.txwatch.dbms.mariadb;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.mysql.MySqlDbms;
import io.txwatch.history.Database;
import io.txwatch.testcase.SqlText;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** MariaDB. */
final class MariaDbDbms extends MySqlDbms {

  private static final Pattern WITHOUT_CHILD_LOCK_FIX = Pattern.compile("^10\\.11\\.[0-7]\\b");

  MariaDbDbms(
      Database database,
      String url,
      Connector connector,
      boolean requiresPrimaryKeys,
      Set<SqlFeature> missing) {
    super(database, url, connector, requiresPrimaryKeys, missing);
  }

  /** True if it changes rows; definitions and the settings they depend on are not bundled. */
  private static boolean mayBeInBlock(String sql) {
    SqlText text = SqlText.of(sql);
    return text.write().filter(write -> write.is("INSERT", "REPLACE", "DELETE")).isPresent()
        || (text.startsWithAny("BEGIN", "COMMIT") && text.tokens().count() == 1);
  }

  @Override
  public boolean fillsHiddenColumns() {
    return true;
  }

  /**
   * MariaDB executes a block as one statement; after a failed statement, the rest is not executed.
   */
  @Override
  public List<String> bundle(List<String> statements) {
    if (multiStatement() != MultiStatement.ONE_BY_ONE
        || statements.size() < 2
        || !statements.stream().allMatch(MariaDbDbms::mayBeInBlock)) {
      return statements;
    }
    return statements.stream()
        .map(
            sql ->
                sql.equals("BEGIN")
                    ? "START TRANSACTION"
                    : sql) // BEGIN starts a nested block there
        .collect(
            Collectors.collectingAndThen(
                Collectors.joining(";\n", "BEGIN NOT ATOMIC\n", ";\nEND"), List::of));
  }

  /**
   * MariaDB up to 10.11.5 changes the row but, after waiting for an index entry, not the index
   * (MDEV-30531). Purge then removes the index entry.
   */
  @Override
  public boolean cascadesMayCorruptIndexes() {
    return true;
  }

  /**
   * ALTER TABLE waits for transactions on child tables while it holds a latch that their ROLLBACK
   * needs (MDEV-32899, fixed in 10.11.8).
   */
  @Override
  public boolean definitionsMayHang() {
    return WITHOUT_CHILD_LOCK_FIX.matcher(database.product().version()).find();
  }

  /** Its performance schema has no table of the waits for rows. */
  @Override
  protected boolean reportsLockWaits() {
    return false;
  }

  @Override
  public boolean canKeepZero() {
    return true;
  }

  /** A zero generates a value, too, unless this mode is set. */
  @Override
  public String insertKeepingZero() {
    return "SET STATEMENT sql_mode = 'NO_AUTO_VALUE_ON_ZERO' FOR INSERT";
  }
}
