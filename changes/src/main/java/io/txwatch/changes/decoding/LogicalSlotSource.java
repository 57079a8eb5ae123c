package io.txwatch.changes.decoding;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangeStatistics;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.ColumnType;
import io.txwatch.changes.ConnectionOpener;
import io.txwatch.changes.JdbcValues;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.Probe;
import io.txwatch.changes.SchemaChange;
import io.txwatch.changes.UnknownValue;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's write-ahead log, read with SQL from a temporary logical replication slot, which the
 * server drops when the connection is closed. It reads when the end of the log is queried; the log
 * waits at the server until then, so a source that is open and never queried makes it grow.
 *
 * <p>Images are whole only for tables with {@code REPLICA IDENTITY FULL}. Definitions are not in
 * the log: the images of one query are described by the catalog as it is then.
 */
public final class LogicalSlotSource implements ChangeSource {

  /** The texts of values must not depend on the settings of the user. */
  private static final List<String> SETTINGS =
      List.of(
          "SET synchronous_commit = on",
          "SET datestyle = 'ISO'",
          "SET extra_float_digits = 1",
          "SET bytea_output = 'hex'");

  private static final String COLUMNS =
      "SELECT a.attname, t.typname, t.typtype, pg_catalog.format_type(a.atttypid, a.atttypmod),"
          + " a.attnotnull, coalesce(a.attnum = ANY (i.indkey), false)"
          + " FROM pg_catalog.pg_attribute a"
          + " JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
          + " JOIN pg_catalog.pg_type t ON t.oid = a.atttypid"
          + " LEFT JOIN pg_catalog.pg_index i"
          + " ON i.indrelid = c.oid AND i.indisprimary AND i.indimmediate"
          + " WHERE n.nspname = ? AND c.relname = ? AND a.attnum > 0 AND NOT a.attisdropped"
          + " ORDER BY a.attnum";

  private final ConnectionOpener opener;
  private final String slot =
      "txwatch_" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);

  private @Nullable Connection session;
  private @Nullable ChangeListener listener;
  private volatile State state = State.NEW;
  private volatile String problem = "";
  private volatile LogPosition position = new LogPosition("", 0);
  private long transactions;
  private long rows;
  private long gaps;

  /** Creates a source that opens one connection, when it is started. */
  public LogicalSlotSource(ConnectionOpener opener) {
    this.opener = opener;
  }

  /**
   * Examines whether the log of a server can be read.
   *
   * @throws IOException if the server cannot be queried
   */
  public static Probe probe(ConnectionOpener opener) throws IOException {
    try (Connection connection = opener.open();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('wal_level'), rolsuper OR rolreplication"
                    + " FROM pg_catalog.pg_roles WHERE rolname = current_user")) {
      if (!row.next()) {
        return new Probe("the user's role is not in the catalog", List.of());
      }
      if (!row.getString(1).equals("logical")) {
        return new Probe(
            "wal_level is " + row.getString(1) + ": set it to logical, and restart the server",
            List.of());
      }
      return new Probe(
          row.getBoolean(2)
              ? ""
              : "the user may not use replication slots: ALTER ROLE … REPLICATION",
          List.of());
    } catch (SQLException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public synchronized void start(ChangeListener to) throws IOException {
    if (state != State.NEW) {
      throw new IllegalStateException("started before");
    }
    state = State.CONNECTING;
    listener = to;
    Connection opened = null;
    try {
      opened = opener.open();
      opened.setAutoCommit(true);
      try (Statement statement = opened.createStatement()) {
        for (String setting : SETTINGS) {
          statement.execute(setting);
        }
        statement.execute(
            "SELECT pg_create_logical_replication_slot('" + slot + "', 'test_decoding', true)");
      }
      session = opened;
      state = State.READING;
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage());
      closeQuietly(opened);
      throw new IOException("no replication slot: " + problem, e);
    }
  }

  /** Reads the log to its end, and delivers what it reads, before it returns. */
  @Override
  public synchronized LogPosition endOfLog() throws IOException {
    Connection reading = session;
    ChangeListener to = listener;
    if (reading == null || to == null) {
      throw new IOException("the log is not read: " + problem);
    }
    try (Statement statement = reading.createStatement()) {
      // Commits need not be flushed, and only what is flushed is decoded: this commit flushes all.
      statement.execute("SELECT pg_logical_emit_message(true, 'txwatch', '')");
      long end;
      try (ResultSet row =
          statement.executeQuery("SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn")) {
        row.next();
        end = row.getLong(1);
      }
      deliver(reading, to);
      position = new LogPosition("", end);
      to.position(position, true);
      return position;
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage());
      throw new IOException(problem, e);
    }
  }

  private void deliver(Connection reading, ChangeListener to) throws SQLException {
    Map<List<String>, ChangedTable> tables = new HashMap<>();
    List<ChangedRow> changes = new ArrayList<>();
    boolean isComplete = true;
    for (Line line : lines(reading)) {
      if (line.text.startsWith("BEGIN")) {
        changes = new ArrayList<>();
        isComplete = true;
      } else if (line.text.startsWith("COMMIT")) {
        if (!changes.isEmpty() || !isComplete) {
          transactions++;
          rows += changes.size();
          to.transaction(
              new ChangedTransaction(
                  "",
                  line.xid,
                  new LogPosition("", line.position),
                  -1,
                  -1,
                  1,
                  null,
                  changes,
                  isComplete));
        }
      } else if (line.text.contains(": TRUNCATE:")) {
        to.schemaChange(
            new SchemaChange(schema(line.text), line.text, new LogPosition("", line.position)));
      } else {
        try {
          Optional<DecodedLine> decoded = DecodedLine.of(line.text);
          if (decoded.isPresent()) {
            changes.add(row(reading, tables, decoded.get()));
          }
        } catch (IllegalArgumentException e) {
          isComplete = false;
          gaps++;
          to.gap(
              new ChangeGap(
                  ChangeGap.Reason.NOT_UNDERSTOOD, "", "", String.valueOf(e.getMessage())));
        }
      }
    }
  }

  /** The schema of the first table that a line names. */
  private static String schema(String line) {
    String name = line.substring("table ".length());
    return name.substring(0, Math.max(0, name.indexOf('.')));
  }

  private record Line(long position, String xid, String text) {}

  private List<Line> lines(Connection reading) throws SQLException {
    List<Line> lines = new ArrayList<>();
    try (Statement statement = reading.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT lsn - '0/0'::pg_lsn, xid::text, data FROM"
                    + " pg_logical_slot_get_changes('"
                    + slot
                    + "', NULL, NULL, 'skip-empty-xacts', 'true')")) {
      while (result.next()) {
        lines.add(new Line(result.getLong(1), result.getString(2), result.getString(3)));
      }
    }
    return lines;
  }

  private static ChangedRow row(
      Connection reading, Map<List<String>, ChangedTable> tables, DecodedLine line)
      throws SQLException {
    List<String> name = List.of(line.schema(), line.table());
    ChangedTable table = tables.get(name);
    if (table == null) {
      table = describe(reading, line.schema(), line.table());
      tables.put(name, table);
    }
    Map<String, DecodedLine.Value> before = line.before();
    Map<String, DecodedLine.Value> after = line.after();
    return new ChangedRow(
        line.kind(),
        table,
        line.kind() == ChangedRow.Kind.INSERT ? null : image(table, before, true),
        line.kind() == ChangedRow.Kind.DELETE ? null : image(table, after, false),
        0,
        null);
  }

  private static ChangedTable describe(Connection reading, String schema, String table)
      throws SQLException {
    List<ChangedTable.Column> columns = new ArrayList<>();
    List<Integer> key = new ArrayList<>();
    try (PreparedStatement statement = reading.prepareStatement(COLUMNS)) {
      statement.setString(1, schema);
      statement.setString(2, table);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          if (row.getBoolean(6)) {
            key.add(columns.size());
          }
          columns.add(
              new ChangedTable.Column(
                  row.getString(1),
                  type(row.getString(2), row.getString(3)),
                  row.getString(4),
                  !row.getBoolean(5)));
        }
      }
    }
    return new ChangedTable(
        schema,
        table,
        columns,
        key.isEmpty() ? List.of() : List.of(new ChangedTable.Key("primary", true, key)));
  }

  private static ColumnType type(String name, String kind) {
    if (kind.equals("e")) {
      return ColumnType.LABEL;
    }
    return switch (name) {
      case "int2", "int4", "int8" -> ColumnType.INTEGER;
      case "bool" -> ColumnType.BOOLEAN;
      case "numeric" -> ColumnType.DECIMAL;
      case "float8" -> ColumnType.DOUBLE;
      case "text", "varchar" -> ColumnType.TEXT;
      case "bpchar" -> ColumnType.PADDED_TEXT;
      case "bytea" -> ColumnType.BYTES;
      case "date" -> ColumnType.DATE;
      case "timestamp" -> ColumnType.DATE_TIME;
      default -> ColumnType.OTHER;
    };
  }

  /**
   * An image in the order of the table's columns.
   *
   * @param values null if the line has none
   * @param omitsNull whether the line omits what is NULL
   * @throws IllegalArgumentException if the line has a column that the table does not have
   */
  private static @Nullable Object[] image(
      ChangedTable table, @Nullable Map<String, DecodedLine.Value> values, boolean omitsNull) {
    if (values != null && !table.columnNames().containsAll(values.keySet())) {
      throw new IllegalArgumentException(
          "the table " + table.name() + " was defined again: " + values.keySet());
    }
    @Nullable Object[] image = new Object[table.columns().size()];
    for (int i = 0; i < image.length; i++) {
      DecodedLine.Value value = values == null ? null : values.get(table.columns().get(i).name());
      image[i] =
          value == null
              ? (values != null && omitsNull ? null : UnknownValue.ABSENT)
              : value.isMissing()
                  ? UnknownValue.ABSENT
                  : normalized(table.columns().get(i).type(), value.text());
    }
    return image;
  }

  private static @Nullable Object normalized(ColumnType type, @Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return switch (type) {
        case BOOLEAN -> JdbcValues.normalized(type, Boolean.valueOf(text));
        case DOUBLE -> JdbcValues.normalized(type, Double.valueOf(text));
        case BYTES ->
            text.startsWith("\\x")
                ? HexFormat.of().parseHex(text.substring(2))
                : UnknownValue.NOT_COMPARABLE;
        default -> JdbcValues.normalized(type, text);
      };
    } catch (IllegalArgumentException e) {
      return UnknownValue.NOT_COMPARABLE;
    }
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public String problem() {
    return problem;
  }

  @Override
  public LogPosition position() {
    return position;
  }

  @Override
  public synchronized ChangeStatistics statistics() {
    return new ChangeStatistics(0, 0, transactions, rows, gaps, 0, 0, 0, 0, 0);
  }

  @Override
  public synchronized void close() {
    state = State.CLOSED;
    closeQuietly(session);
    session = null;
  }

  private void closeQuietly(@Nullable Connection connection) {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        problem = String.valueOf(e.getMessage());
      }
    }
  }
}
