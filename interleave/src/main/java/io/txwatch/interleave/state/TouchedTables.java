package io.txwatch.interleave.state;

import io.txwatch.history.AccessedColumns;
import io.txwatch.history.AccessedColumns.OfTable;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.run.GatedProgram.CallExtent;
import io.txwatch.interleave.run.TableConstraints;
import io.txwatch.jdbc.gate.GatedCall;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one database that operations touch, read and restored on a connection that is not
 * watched. For one thread.
 */
public final class TouchedTables implements AutoCloseable {

  /** From here on, {@link #match} has found the schema's name, too. */
  private static final int QUALIFIED = 3;

  private final Connection connection;
  private final InterleavedProduct product;
  private final int maxRows;
  private final SchemaObjects objects;
  private final Set<String> viewsSeen = new HashSet<>();
  private final Map<String, Table> tables = new LinkedHashMap<>();

  /** How many tables there were when it was found that all of them can be restored. */
  private int restorable;

  /** The keys of the rows after the last reset, by table and column. */
  private final Map<String, Map<Integer, Set<String>>> afterReset = new HashMap<>();

  /** The keys of the rows after every reset, by table and column. */
  private final Map<String, Map<Integer, Set<String>>> afterEachReset = new HashMap<>();

  /** The keys that foreign keys refer to which are keys themselves. */
  private final Map<String, String> references = new HashMap<>();

  /**
   * A table with the rows that it had first.
   *
   * @param name in quotes, with its schema
   * @param stored the columns that can be inserted
   * @param rows the values of these columns
   * @param texts the same as texts, sorted
   * @param first the texts of all columns then
   * @param dates the columns, from 0, of dates and times
   * @param generated the columns, from 0, whose values the DBMS makes up
   * @param hasIdentity whether one of them is an identity column
   * @param keys the columns, from 0, of primary and foreign keys, with the key that each refers to
   * @param constraints what statements on other rows or tables may meet
   */
  private record Table(
      String name,
      List<String> stored,
      List<List<@Nullable Object>> rows,
      List<String> texts,
      List<List<String>> first,
      BitSet dates,
      BitSet generated,
      boolean hasIdentity,
      Map<Integer, String> keys,
      TableConstraints constraints) {}

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
  public TouchedTables(Connection connection, InterleavedProduct product, int maxRows)
      throws SQLException {
    this.connection = connection;
    this.objects = SchemaObjects.read(connection);
    this.product = product;
    this.maxRows = maxRows;
  }

  /**
   * A statement is about to be executed: keeps the rows of the tables that it is the first to
   * touch, by its text, views, triggers or routines.
   */
  void touch(GatedCall.Statement statement) throws SQLException {
    for (OfTable table : AccessedColumns.parse(statement.columns()).tables()) {
      touch(table.table());
    }
    if (mayTouchAll(statement)) {
      for (String table : allTables()) {
        touch(table);
      }
    }
  }

  /** What a statement that was passed to {@link #touch} reads, writes and locks. */
  CallExtent extent(GatedCall.Statement statement) {
    List<OfTable> named = AccessedColumns.parse(statement.columns()).tables();
    if (named.isEmpty()) {
      return SchemaObjects.isWithoutRows(statement) ? CallExtent.NOTHING : CallExtent.EVERYTHING;
    }
    return mayTouchAll(statement)
            || SchemaObjects.locks(statement)
            || named.stream().anyMatch(t -> objects.view(t.table()) != null)
        ? CallExtent.EVERYTHING
        : CallExtent.ITS_TABLES;
  }

  /** True if a statement may use any table, by a trigger or a routine. */
  private boolean mayTouchAll(GatedCall.Statement statement) {
    List<OfTable> named = AccessedColumns.parse(statement.columns()).tables();
    if (named.isEmpty()) {
      return !SchemaObjects.isWithoutRows(statement)
          && !SchemaObjects.onlyLocks(statement)
          && !SchemaObjects.isTransactionControl(statement);
    }
    return objects.callsRoutine(statement)
        || (statement.kind().mayWrite()
            && named.stream().anyMatch(table -> objects.hasTriggers(table.table())));
  }

  private List<String> allTables() throws SQLException {
    List<String> all = new ArrayList<>();
    try (ResultSet tables =
        connection
            .getMetaData()
            .getTables(connection.getCatalog(), connection.getSchema(), "%", null)) {
      while (tables.next()) {
        if (isTable(tables)) {
          all.add(tables.getString("TABLE_NAME").toLowerCase(Locale.ROOT));
        }
      }
    }
    return all;
  }

  private static boolean isTable(ResultSet tables) throws SQLException {
    String type = String.valueOf(tables.getString("TABLE_TYPE"));
    return type.endsWith("TABLE") && !type.startsWith("SYSTEM");
  }

  /** Keeps the rows of the tables whose names stand in the query of a view. */
  private void touchThoseOf(String view, String query) throws SQLException {
    if (viewsSeen.add(view)) {
      List<String> possible = allTables();
      possible.addAll(objects.views());
      for (String name : possible) {
        if (query.contains(name)) {
          touch(name);
        }
      }
    }
  }

  /** Keeps the rows of a table, or of those that a view reads. */
  private void touch(String name) throws SQLException {
    String query = objects.view(name);
    if (query != null) {
      touchThoseOf(name, query);
      return;
    }
    if (!tables.containsKey(name)) {
      Table table = read(name);
      if (table != null) {
        tables.put(name, table);
        afterReset.put(name, keys(table, table.first()));
        afterEachReset.put(name, keys(table, table.first()));
        for (String other : table.constraints().changed()) {
          touch(other);
        }
      }
      endTransaction();
    }
  }

  /** The constraints of a table that was touched. */
  public TableConstraints constraints(String name) {
    Table table = tables.get(name);
    return table == null ? TableConstraints.NONE : table.constraints();
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
    List<String> all = new ArrayList<>();
    BitSet identities = new BitSet();
    BitSet clocks = new BitSet();
    BitSet dates = new BitSet();
    try (ResultSet columns =
        metaData.getColumns(path[0], escaped(metaData, path[1]), escaped(metaData, path[2]), "%")) {
      for (int i = 0; columns.next(); i++) {
        boolean isComputed = "YES".equals(columns.getString("IS_GENERATEDCOLUMN"));
        boolean counts = "YES".equals(columns.getString("IS_AUTOINCREMENT"));
        all.add(columns.getString("COLUMN_NAME"));
        dates.set(i, isDate(columns.getInt("DATA_TYPE")));
        String byDefault = columns.getString("COLUMN_DEF");
        if (counts || isComputed || isGenerated(byDefault)) {
          generated.set(i);
        }
        if (counts) {
          identities.set(i);
        } else if (isComputed || isClock(byDefault)) {
          clocks.set(i);
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
    stored.replaceAll(column -> quote(column, quote));
    List<List<@Nullable Object>> rows = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query(full, stored))) {
      while (result.next()) {
        if (rows.size() == maxRows) {
          throw new TooLargeException(name, maxRows);
        }
        List<@Nullable Object> row = new ArrayList<>();
        for (int i = 1; i <= stored.size(); i++) {
          row.add(product.value(result, i));
        }
        rows.add(row);
        texts.add(text(result));
      }
    }
    texts.sort(null);
    Map<Integer, String> keys = keys(path, all, identities);
    keys.keySet().removeIf(clocks::get); // two may be equal, or not, by chance
    return new Table(
        full,
        stored,
        rows,
        texts,
        allRows(full),
        dates,
        generated,
        !identities.isEmpty(),
        keys,
        new ForeignAndUniqueKeys(connection).of(path));
  }

  private static String query(String table, List<String> columns) {
    return "SELECT " + String.join(", ", columns) + " FROM " + table;
  }

  /** The values of a row as texts. */
  private static String text(ResultSet row) throws SQLException {
    List<@Nullable String> values = new ArrayList<>();
    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
      values.add(row.getString(i));
    }
    return values.toString();
  }

  /**
   * The columns, from 0, that are identities, keys or foreign keys; with the key that each is of.
   */
  private Map<Integer, String> keys(String[] path, List<String> columns, BitSet identities)
      throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String table = key(path[0], path[1], path[2]);
    Map<Integer, String> keys = new TreeMap<>();
    identities.stream().forEach(i -> keys.put(i, table + "." + columns.get(i)));
    try (ResultSet primary = metaData.getPrimaryKeys(path[0], path[1], path[2])) {
      while (primary.next()) {
        String column = primary.getString("COLUMN_NAME");
        keys.put(columns.indexOf(column), table + "." + column);
      }
    }
    try (ResultSet foreign = metaData.getImportedKeys(path[0], path[1], path[2])) {
      while (foreign.next()) {
        String column = foreign.getString("FKCOLUMN_NAME");
        String other =
            key(
                    foreign.getString("PKTABLE_CAT"),
                    foreign.getString("PKTABLE_SCHEM"),
                    foreign.getString("PKTABLE_NAME"))
                + "."
                + foreign.getString("PKCOLUMN_NAME");
        String own = keys.put(columns.indexOf(column), other);
        if (own != null && !own.equals(other)) {
          references.put(own, other);
        }
      }
    }
    keys.remove(-1);
    return keys;
  }

  private static String key(@Nullable String catalog, @Nullable String schema, String table) {
    return catalog + "." + schema + "." + table;
  }

  /** The texts of all columns of a table. */
  private List<List<String>> allRows(String table) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet all = statement.executeQuery("SELECT * FROM " + table)) {
      int columns = all.getMetaData().getColumnCount();
      while (all.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(String.valueOf(all.getString(i)));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static boolean isDate(int type) {
    return switch (type) {
      case Types.DATE,
          Types.TIME,
          Types.TIME_WITH_TIMEZONE,
          Types.TIMESTAMP,
          Types.TIMESTAMP_WITH_TIMEZONE ->
          true;
      default -> false;
    };
  }

  /** True for a default that is another value each time: of a sequence, a clock, a random one. */
  private static boolean isGenerated(@Nullable String byDefault) {
    return isClock(byDefault) || matches(byDefault, "nextval|next value|uuid|rand");
  }

  private static boolean isClock(@Nullable String byDefault) {
    return matches(byDefault, "current_|now\\(|localtime|clock_|sysdate");
  }

  private static boolean matches(@Nullable String byDefault, String alternatives) {
    return byDefault != null
        && byDefault.toLowerCase(Locale.ROOT).matches("(?s).*(" + alternatives + ").*");
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

  /** How well a name fits a table; two tables of a schema may differ in case alone. */
  private static int match(String name, String qualified, String table) {
    if (name.equalsIgnoreCase(qualified)) {
      return name.equals(qualified) ? QUALIFIED + 1 : QUALIFIED;
    }
    return name.equals(table) ? 2 : name.equalsIgnoreCase(table) ? 1 : 0;
  }

  /** Catalog, schema and name of a table, as stored; null if there is no such table. */
  private String @Nullable [] path(String name) throws SQLException {
    String[] found = null;
    int best = 0;
    try (ResultSet all = connection.getMetaData().getTables(null, null, "%", null)) {
      while (all.next()) {
        if (!isTable(all)) {
          continue;
        }
        String catalog = all.getString("TABLE_CAT");
        String schema = all.getString("TABLE_SCHEM");
        String table = all.getString("TABLE_NAME");
        String qualifier = schema == null || schema.isEmpty() ? catalog : schema;
        int match = match(name, qualifier + "." + table, table);
        if (match > best
            && (match >= QUALIFIED || ForeignAndUniqueKeys.isHome(connection, catalog, schema))) {
          best = match;
          found = new String[] {catalog, schema, table};
        }
      }
    }
    return found;
  }

  /** The rows of all tables that were touched. */
  public TouchedRows rows() throws SQLException {
    Map<String, List<List<String>>> result = new TreeMap<>();
    for (Map.Entry<String, Table> entry : tables.entrySet()) {
      result.put(entry.getKey(), allRows(entry.getValue().name()));
    }
    endTransaction();
    return new TouchedRows(result, identities());
  }

  /** The rows that all these tables had first. */
  TouchedRows firstRows() {
    Map<String, List<List<String>>> result = new TreeMap<>();
    tables.forEach((name, table) -> result.put(name, table.first()));
    return new TouchedRows(result, identities());
  }

  /** The columns of dates and times, by table. */
  Map<String, BitSet> dates() {
    Map<String, BitSet> result = new TreeMap<>();
    tables.forEach((name, table) -> result.put(name, (BitSet) table.dates().clone()));
    return result;
  }

  /** A reset of the caller's has ended: it may have generated keys. */
  void afterReset() throws SQLException {
    for (Map.Entry<String, Table> entry : tables.entrySet()) {
      Map<Integer, Set<String>> now = keys(entry.getValue(), allRows(entry.getValue().name()));
      afterReset.put(entry.getKey(), now);
      afterEachReset
          .getOrDefault(entry.getKey(), Map.of())
          .forEach((column, values) -> values.retainAll(now.getOrDefault(column, Set.of())));
    }
    endTransaction();
  }

  /** The values of the columns of keys. */
  private static Map<Integer, Set<String>> keys(Table table, List<List<String>> rows) {
    Map<Integer, Set<String>> values = new TreeMap<>();
    for (int column : table.keys().keySet()) {
      Set<String> ofColumn = new TreeSet<>();
      rows.forEach(row -> ofColumn.add(row.get(column)));
      values.put(column, ofColumn);
    }
    return values;
  }

  /** The keys of the rows after the last reset, by domain as in {@link #identities}. */
  Map<String, Set<String>> keysAfterReset() {
    Map<String, Set<String>> result = new TreeMap<>();
    afterReset.forEach(
        (name, columns) -> {
          Table table = tables.get(name);
          if (table != null) {
            columns.forEach(
                (column, values) -> {
                  String domain = origin(table.keys().getOrDefault(column, ""));
                  result.computeIfAbsent(domain, one -> new TreeSet<>()).addAll(values);
                });
          }
        });
    return result;
  }

  /** Which columns hold keys, and which keys are known. */
  RowIdentities identities() {
    Map<String, Map<Integer, String>> domains = new TreeMap<>();
    Map<String, Set<String>> known = new TreeMap<>();
    tables.forEach(
        (name, table) -> {
          Map<Integer, String> ofTable = new TreeMap<>();
          table.keys().forEach((column, key) -> ofTable.put(column, origin(key)));
          domains.put(name, ofTable);
          ofTable.forEach(
              (column, domain) -> {
                Set<String> ofDomain = known.computeIfAbsent(domain, one -> new TreeSet<>());
                ofDomain.addAll(
                    afterEachReset.getOrDefault(name, Map.of()).getOrDefault(column, Set.of()));
              });
        });
    return new RowIdentities(domains, known);
  }

  /** The key that a key refers to, if it is a foreign key as well. */
  private String origin(String key) {
    String found = key;
    for (int depth = 0; depth < tables.size(); depth++) {
      found = references.getOrDefault(found, found);
    }
    return found;
  }

  /** The columns whose values the DBMS makes up, by table. */
  public Map<String, BitSet> generated() {
    Map<String, BitSet> result = new TreeMap<>();
    tables.forEach((name, table) -> result.put(name, (BitSet) table.generated().clone()));
    return result;
  }

  /**
   * Restores the rows that the tables had first.
   *
   * @throws UnreachableException if they are others then; nothing is changed
   */
  public void restore() throws SQLException {
    if (tables.isEmpty()) {
      return;
    }
    connection.setAutoCommit(false);
    boolean isDone = false;
    try (Statement statement = connection.createStatement()) {
      for (String sql : product.beforeRestore()) {
        statement.execute(sql);
      }
      for (Table table : inOrder()) {
        statement.executeUpdate("DELETE FROM " + table.name());
        insert(table);
      }
      if (restorable < tables.size()) {
        demandSameRows(statement);
        restorable = tables.size();
      }
      for (String sql : product.afterRestore()) {
        statement.execute(sql);
      }
      connection.commit();
      isDone = true;
    } finally {
      if (!isDone) {
        undo();
      }
      connection.setAutoCommit(true);
    }
  }

  /** Each table once: those with triggers first, which may write into the others. */
  private Collection<Table> inOrder() {
    Map<String, Table> byName = new LinkedHashMap<>();
    for (boolean hasTriggers : new boolean[] {true, false}) {
      tables.forEach(
          (name, table) -> {
            if (objects.hasTriggers(name) == hasTriggers) {
              byName.putIfAbsent(table.name(), table);
            }
          });
    }
    return byName.values();
  }

  private void demandSameRows(Statement statement) throws SQLException {
    for (Table table : inOrder()) {
      List<String> texts = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery(query(table.name(), table.stored()))) {
        while (rows.next()) {
          texts.add(text(rows));
        }
      }
      texts.sort(null);
      if (!texts.equals(table.texts())) {
        throw new UnreachableException(
            "the rows of "
                + table.name()
                + " are others when they are inserted again (a trigger? a table that"
                + " inherits, or a partition?): give a reset of your own");
      }
    }
  }

  /** Settings may be those of the database, and must not stay. */
  private void undo() throws SQLException {
    connection.rollback();
    try (Statement statement = connection.createStatement()) {
      for (String sql : product.afterRestore()) {
        statement.execute(sql);
      }
      connection.commit();
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
          product.set(insert, i + 1, row.get(i));
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
