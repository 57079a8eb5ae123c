package io.txwatch.interleave.state;

import io.txwatch.interleave.product.InterleavedProduct;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one database that operations touch, read and restored on a connection that is not
 * watched. For one thread.
 */
public final class TouchedTables implements AutoCloseable {

  private final Connection connection;
  private final InterleavedProduct product;
  private final int maxRows;
  private final Map<String, Table> tables = new LinkedHashMap<>();

  /**
   * A table with the rows that it had first.
   *
   * @param name in quotes, with its schema
   * @param stored the columns that can be inserted
   * @param rows the values of these columns
   * @param generated the columns, from 0, whose values the DBMS makes up
   * @param hasIdentity whether one of them is an identity column
   */
  private record Table(
      String name,
      List<String> stored,
      List<List<@Nullable Object>> rows,
      BitSet generated,
      boolean hasIdentity) {}

  /** A table that is too large to be kept. */
  public static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLargeException(String table, int maxRows) {
      super(
          "table "
              + table
              + " has more than "
              + maxRows
              + " rows, too many to be restored before each execution: give a reset of your own");
    }
  }

  /**
   * None yet.
   *
   * @param connection closed by {@link #close}
   * @param maxRows the most rows of a table that is restored
   */
  public TouchedTables(Connection connection, InterleavedProduct product, int maxRows) {
    this.connection = connection;
    this.product = product;
    this.maxRows = maxRows;
  }

  /** A table is about to be touched for the first time: keeps its rows. A view is left out. */
  public void touch(String name) throws SQLException {
    if (!tables.containsKey(name)) {
      Table table = read(name);
      if (table != null) {
        tables.put(name, table);
      }
      endTransaction();
    }
  }

  private void endTransaction() throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.rollback();
    }
  }

  private @Nullable Table read(String name) throws SQLException {
    String[] path = path(name);
    if (path == null) {
      return null;
    }
    DatabaseMetaData metaData = connection.getMetaData();
    String quote = metaData.getIdentifierQuoteString().strip();
    BitSet generated = new BitSet();
    List<String> stored = new ArrayList<>();
    boolean identity = false;
    try (ResultSet columns =
        metaData.getColumns(path[0], escaped(metaData, path[1]), escaped(metaData, path[2]), "%")) {
      for (int i = 0; columns.next(); i++) {
        boolean isComputed = "YES".equals(columns.getString("IS_GENERATEDCOLUMN"));
        boolean counts = "YES".equals(columns.getString("IS_AUTOINCREMENT"));
        identity |= counts;
        String byDefault = columns.getString("COLUMN_DEF");
        if (counts || isComputed || isMadeUp(byDefault)) {
          generated.set(i);
        }
        if (!isComputed || counts) {
          stored.add(columns.getString("COLUMN_NAME"));
        }
      }
    }
    String schema = path[1] == null || path[1].isEmpty() ? path[0] : path[1];
    String full =
        (schema == null || schema.isEmpty() ? "" : quote(schema, quote) + ".")
            + quote(path[2], quote);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    String list = String.join(", ", stored.stream().map(c -> quote(c, quote)).toList());
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT " + list + " FROM " + full)) {
      while (result.next()) {
        if (rows.size() == maxRows) {
          throw new TooLargeException(name, maxRows);
        }
        List<@Nullable Object> row = new ArrayList<>();
        for (int i = 1; i <= stored.size(); i++) {
          row.add(result.getObject(i));
        }
        rows.add(row);
      }
    }
    return new Table(
        full, stored.stream().map(c -> quote(c, quote)).toList(), rows, generated, identity);
  }

  /** True for a default that is another value each time: of a sequence, a clock, a random one. */
  private static boolean isMadeUp(@Nullable String byDefault) {
    return byDefault != null
        && byDefault
            .toLowerCase(Locale.ROOT)
            .matches(
                "(?s).*(nextval|next value|current_|now\\(|localtime|uuid|rand|clock_|sysdate).*");
  }

  private static String quote(String name, String quote) {
    return quote + name.replace(quote, quote + quote) + quote;
  }

  private static @Nullable String escaped(DatabaseMetaData metaData, @Nullable String name)
      throws SQLException {
    String escape = metaData.getSearchStringEscape();
    return name == null || escape == null || escape.isEmpty()
        ? name
        : name.replace("_", escape + "_").replace("%", escape + "%");
  }

  /** Catalog, schema and name of a table, as stored; null if there is no such table. */
  private String @Nullable [] path(String name) throws SQLException {
    String plain = name.toLowerCase(Locale.ROOT);
    String[] found = null;
    try (ResultSet all = connection.getMetaData().getTables(null, null, "%", null)) {
      while (all.next()) {
        String type = String.valueOf(all.getString("TABLE_TYPE"));
        if (!type.endsWith("TABLE") || type.startsWith("SYSTEM")) {
          continue;
        }
        String catalog = all.getString("TABLE_CAT");
        String schema = all.getString("TABLE_SCHEM");
        String table = all.getString("TABLE_NAME");
        String qualifier = schema == null || schema.isEmpty() ? catalog : schema;
        boolean isWhole = plain.equalsIgnoreCase(qualifier + "." + table);
        if (isWhole || (plain.equalsIgnoreCase(table) && isHome(catalog, schema))) {
          found = new String[] {catalog, schema, table};
          if (isWhole) {
            break;
          }
        }
      }
    }
    return found;
  }

  private boolean isHome(@Nullable String catalog, @Nullable String schema) throws SQLException {
    return schema == null || schema.isEmpty()
        ? catalog == null || catalog.equals(connection.getCatalog())
        : schema.equals(connection.getSchema());
  }

  /** The rows of all tables that were touched. */
  public TouchedRows rows() throws SQLException {
    Map<String, List<List<String>>> result = new TreeMap<>();
    for (Map.Entry<String, Table> entry : tables.entrySet()) {
      List<List<String>> rows = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet all = statement.executeQuery("SELECT * FROM " + entry.getValue().name())) {
        ResultSetMetaData metaData = all.getMetaData();
        while (all.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= metaData.getColumnCount(); i++) {
            row.add(String.valueOf(all.getString(i)));
          }
          rows.add(row);
        }
      }
      rows.sort((a, b) -> a.toString().compareTo(b.toString()));
      result.put(entry.getKey(), rows);
    }
    endTransaction();
    return new TouchedRows(result);
  }

  /** The columns whose values the DBMS makes up, by table. */
  public Map<String, BitSet> generated() {
    Map<String, BitSet> result = new TreeMap<>();
    tables.forEach((name, table) -> result.put(name, (BitSet) table.generated().clone()));
    return result;
  }

  /** Restores the rows that the tables had first. */
  public void restore() throws SQLException {
    if (tables.isEmpty()) {
      return;
    }
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      for (String sql : product.beforeRestore()) {
        statement.execute(sql);
      }
      Set<String> restored = new HashSet<>();
      for (Table table : tables.values()) {
        if (restored.add(table.name())) {
          statement.executeUpdate("DELETE FROM " + table.name());
          insert(table);
        }
      }
      for (String sql : product.afterRestore()) {
        statement.execute(sql);
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private void insert(Table table) throws SQLException {
    if (table.rows().isEmpty()) {
      return;
    }
    String sql =
        "INSERT INTO "
            + table.name()
            + " ("
            + String.join(", ", table.stored())
            + ") "
            + (table.hasIdentity() ? product.overridingIdentity() : "")
            + " VALUES ("
            + String.join(", ", table.stored().stream().map(c -> "?").toList())
            + ")";
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (List<@Nullable Object> row : table.rows()) {
        for (int i = 0; i < row.size(); i++) {
          insert.setObject(i + 1, row.get(i));
        }
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
