package io.txwatch.product.mysql;

import io.txwatch.catalog.CatalogQueries;
import io.txwatch.prepare.CancelTimeout;
import io.txwatch.prepare.DdlErrors;
import io.txwatch.prepare.RetryPolicy;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Gives the rows of a live MySQL table their ids, so that no one waits for it: in batches, each a
 * transaction of its own, with a pause as long as the batch before it.
 *
 * <p>A batch is a range of the table's key. Its rows are locked at once or not at all ({@code
 * NOWAIT}): waiting for one of them with the others locked would make everybody wait who wants
 * these. Where a row is locked by somebody else the batch is made smaller, and a single such row is
 * left for the next pass. Passes go on until one finds no row without an id. At READ COMMITTED, so
 * that no gaps are locked, and rows that others are just inserting are passed over.
 *
 * <p>Nothing is kept but the rows' own state, so that it can end anywhere, and begin again.
 */
public final class MySqlBackfill {

  /** How many rows are written in a batch at most, and so are locked at a time. */
  static final int MAX_BATCH = 1_000;

  /** For how long a batch should hold its locks; batches grow and shrink towards it. */
  private static final Duration BATCH_TIME = Duration.ofMillis(50);

  private static final int FIRST_BATCH = 100;
  private static final Duration MIN_PAUSE = Duration.ofMillis(2);
  private static final Duration PAUSE_WHEN_LOCKED = Duration.ofMillis(200);

  /** Rows that somebody inserts without an id again and again must not keep it going for ever. */
  private static final int MAX_PASSES = 10;

  /** The key by whose ranges a table is filled: a unique index over columns that are not null. */
  record Key(String index, List<BackfillColumn> columns) {}

  /** A column of it. */
  record BackfillColumn(String quotedName, KeyType type) {}

  /** How a value of a key column is carried from a query into the next without changing it. */
  enum KeyType {
    /** Whole numbers and decimals. */
    NUMBER,
    /** Characters, dates and times: as text. */
    TEXT,
    /** Bytes. */
    BYTES;

    /** The type of a column declared so; null if its order or its values are not safe to carry. */
    static @Nullable KeyType of(String declared) {
      String type = declared.toLowerCase(Locale.ROOT).split("[( ]", 2)[0];
      return switch (type) {
        case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal" -> NUMBER;
        case "char", "varchar", "date", "datetime" -> TEXT;
        case "binary", "varbinary" -> BYTES;
        default -> null;
      };
    }
  }

  private final Connection connection;
  private final String table;
  private final String assignments;
  private final @Nullable Key key;
  private final RetryPolicy pace;
  private int batch = FIRST_BATCH;
  private long lastProgressNanos = System.nanoTime();

  /**
   * For one table.
   *
   * @param table its name as SQL names it
   * @param assignments what follows SET
   * @param key null if it has none that can be used
   */
  MySqlBackfill(
      Connection connection,
      String table,
      String assignments,
      @Nullable Key key,
      RetryPolicy pace) {
    this.connection = connection;
    this.table = table;
    this.assignments = assignments;
    this.key = key;
    this.pace = pace;
  }

  /**
   * Fills what is not filled yet.
   *
   * @throws SQLException a lock wait timeout if rows stayed locked for longer than {@link
   *     RetryPolicy#patience}; what was filled until then stays
   */
  void run() throws SQLException {
    int isolation = connection.getTransactionIsolation();
    String mode = one("SELECT @@SESSION.sql_mode");
    set("sql_mode", ""); // an old row with a zero date is written as it is
    if (!isLoggedAsStatements()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }
    connection.setAutoCommit(false);
    try {
      fill();
    } catch (SQLException e) {
      try {
        connection.rollback();
        restore(isolation, mode);
      } catch (SQLException lost) {
        e.addSuppressed(lost);
      }
      throw e;
    }
    restore(isolation, mode);
  }

  private void restore(int isolation, String mode) throws SQLException {
    connection.setAutoCommit(true);
    connection.setTransactionIsolation(isolation);
    set("sql_mode", mode);
  }

  private void fill() throws SQLException {
    for (int pass = 0; pass < MAX_PASSES && isAnyLeft(); ) {
      boolean skipped = key == null ? fillUnordered() : fillByRanges(key);
      if (skipped) {
        waitForLocks();
      } else {
        pass++;
      }
    }
  }

  /** READ COMMITTED is refused there. */
  private boolean isLoggedAsStatements() throws SQLException {
    return one("SELECT CONCAT(@@GLOBAL.log_bin, @@SESSION.binlog_format)").equals("1STATEMENT");
  }

  private boolean isAnyLeft() throws SQLException {
    boolean left =
        !one("SELECT 1 FROM " + table + " WHERE " + MySqlDdl.UNFILLED + " LIMIT 1").isEmpty();
    connection.commit();
    return left;
  }

  private void waitForLocks() throws SQLException {
    boolean patient = System.nanoTime() - lastProgressNanos <= pace.patience().toNanos();
    if (!patient || !RetryPolicy.sleep(PAUSE_WHEN_LOCKED)) {
      throw new SQLException("rows without an id are locked by another transaction", "HYT00", 1205);
    }
  }

  /** One pass; true if a row was left out because it is locked. */
  private boolean fillByRanges(Key by) throws SQLException {
    boolean skipped = false;
    List<Object> last = List.of();
    while (true) {
      List<List<Object>> unfilled = unfilledAfter(by, last, batch);
      if (unfilled.isEmpty()) {
        return skipped;
      }
      List<Object> end = unfilled.get(unfilled.size() - 1);
      if (fill(by, unfilled.get(0), end)) {
        last = end;
      } else if (unfilled.size() > 1) {
        batch = Math.max(1, unfilled.size() / 4);
      } else {
        skipped = true;
        last = end;
      }
    }
  }

  private List<List<Object>> unfilledAfter(Key by, List<Object> last, int rows)
      throws SQLException {
    String columns =
        by.columns().stream()
            .map(
                c ->
                    c.type() == KeyType.BYTES
                        ? c.quotedName()
                        : "CAST(" + c.quotedName() + " AS CHAR)")
            .collect(Collectors.joining(", "));
    String order =
        by.columns().stream().map(BackfillColumn::quotedName).collect(Collectors.joining(", "));
    String sql =
        ("SELECT " + columns + " FROM " + from(by) + " WHERE " + MySqlDdl.UNFILLED)
            + (last.isEmpty() ? "" : " AND (" + beyond(by, ">", false) + ")")
            + (" ORDER BY " + order + " LIMIT " + rows);
    List<List<Object>> keys = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      if (!last.isEmpty()) {
        setBeyond(statement, 1, last);
      }
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          List<Object> row = new ArrayList<>();
          for (int i = 0; i < by.columns().size(); i++) {
            row.add(value(found, i + 1, by.columns().get(i).type()));
          }
          keys.add(row);
        }
      }
    }
    connection.commit();
    return keys;
  }

  private static Object value(ResultSet row, int column, KeyType type) throws SQLException {
    return switch (type) {
      case NUMBER -> new BigDecimal(CatalogQueries.text(row, column));
      case TEXT -> CatalogQueries.text(row, column);
      case BYTES -> row.getBytes(column);
    };
  }

  /** Fills the rows between two keys, both included; false if one of them is locked. */
  private boolean fill(Key by, List<Object> first, List<Object> end) throws SQLException {
    String range = "(" + beyond(by, ">", true) + ") AND (" + beyond(by, "<", true) + ")";
    long begun = System.nanoTime();
    int written;
    try {
      execute(
          "SELECT COUNT(*) FROM " + from(by) + " WHERE " + range + " FOR UPDATE NOWAIT",
          first,
          end);
      written =
          execute(
              ("UPDATE " + from(by) + " SET " + assignments)
                  + (" WHERE " + range + " AND " + MySqlDdl.UNFILLED),
              first,
              end);
      connection.commit();
    } catch (SQLException e) {
      return giveUp(e);
    }
    filled(written, Duration.ofNanos(System.nanoTime() - begun));
    return true;
  }

  private int execute(String sql, List<Object> first, List<Object> end) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      setBeyond(statement, setBeyond(statement, 1, first), end);
      return statement.execute() ? 0 : statement.getUpdateCount();
    }
  }

  /** One pass over a table without a usable key; true if it met a locked row. */
  private boolean fillUnordered() throws SQLException {
    while (true) {
      long begun = System.nanoTime();
      int[] written = {0};
      try (Statement statement = connection.createStatement()) {
        String sql =
            ("UPDATE " + table + " SET " + assignments)
                + (" WHERE " + MySqlDdl.UNFILLED + " LIMIT " + batch);
        CancelTimeout.run(
            statement, pace.lockWait(), () -> written[0] = statement.executeUpdate(sql));
        connection.commit();
      } catch (SQLException e) {
        giveUp(e);
        return true;
      }
      if (written[0] == 0) {
        return false;
      }
      filled(written[0], Duration.ofNanos(System.nanoTime() - begun));
    }
  }

  /** Takes the batch back; throws what is not about locks. */
  private boolean giveUp(SQLException e) throws SQLException {
    if (!DdlErrors.isLock(e)) {
      throw e;
    }
    connection.rollback();
    return false;
  }

  private void filled(int written, Duration taken) {
    if (written > 0) {
      lastProgressNanos = System.nanoTime();
    }
    long next = batch * BATCH_TIME.toNanos() / Math.max(1, taken.toNanos());
    batch = (int) Math.max(1, Math.min(MAX_BATCH, Math.max(batch / 4, Math.min(next, batch * 2L))));
    RetryPolicy.sleep(taken.compareTo(MIN_PAUSE) < 0 ? MIN_PAUSE : taken);
  }

  private String from(Key by) {
    return table + " FORCE INDEX (" + by.index() + ")";
  }

  /**
   * The rows whose key lies on one side of another. Written out: MySQL finds no range in a
   * comparison of rows.
   *
   * @param direction {@code <} or {@code >}
   * @param included whether the row of that key itself is among them
   */
  private static String beyond(Key by, String direction, boolean included) {
    StringBuilder sql = new StringBuilder();
    for (int i = 0; i < by.columns().size(); i++) {
      sql.append(i == 0 ? "" : " OR ");
      for (int j = 0; j < i; j++) {
        sql.append(by.columns().get(j).quotedName()).append(" = ? AND ");
      }
      boolean last = i == by.columns().size() - 1;
      sql.append(by.columns().get(i).quotedName())
          .append(' ')
          .append(direction)
          .append(last && included ? "= ?" : " ?");
    }
    return sql.toString();
  }

  /** Sets the parameters of {@link #beyond}; gives the index of the next one. */
  private static int setBeyond(PreparedStatement statement, int from, List<Object> values)
      throws SQLException {
    int next = from;
    for (int i = 0; i < values.size(); i++) {
      for (int j = 0; j <= i; j++) {
        statement.setObject(next++, values.get(j));
      }
    }
    return next;
  }

  private String one(String sql) throws SQLException {
    List<String> found = CatalogQueries.query(connection, sql, row -> CatalogQueries.text(row, 1));
    return found.isEmpty() ? "" : found.get(0);
  }

  private void set(String variable, String value) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SET SESSION " + variable + " = ?")) {
      statement.setString(1, value);
      statement.execute();
    }
  }
}
