package io.txwatch.product.mysql;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.run;
import static io.txwatch.catalog.CatalogQueries.text;

import io.txwatch.catalog.AuxiliaryColumns;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.catalog.TableInfo.Column;
import io.txwatch.history.WriterList;
import io.txwatch.plan.WritersColumn;
import io.txwatch.prepare.CancelTimeout;
import io.txwatch.prepare.DdlErrors;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.prepare.PreparationStep;
import io.txwatch.prepare.PreparationStep.Work;
import io.txwatch.prepare.RetryPolicy;
import io.txwatch.product.mysql.MySqlBackfill.KeyType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * MySQL and MariaDB: two invisible columns, the row id from {@code uuid_short()} without its top
 * bit, so that it is a positive long.
 *
 * <p>MySQL rejects such a default in ADD COLUMN (error 1674, unsafe function; observed on 9.7 with
 * its binary log on and off). There the column is added empty and given its default, and then the
 * rows are {@linkplain MySqlBackfill filled} by UPDATEs that keep {@code ON UPDATE} columns as they
 * are; a table with UPDATE triggers is left alone, because they would fire.
 *
 * <p>InnoDB updates a row in place only if its length does not change. The cost that watching adds
 * to an UPDATE doubles where the list of writers grows (decision 0024). So the existing rows get
 * the column at its full length, unless the table is large: there each row grows when it is
 * written.
 *
 * <p>MySQL does not apply such a default to an INSERT without a column list: an invisible column
 * stays null (observed on 9.7.4; MariaDB applies it). A row that an unwatched session inserts in
 * this way has no row id, and its reads and writes are not captured; watched sessions supply the
 * row id themselves.
 */
public class MySqlDdl extends PreparationDdl {

  /** In how many rows room is taken for writers before there are any: some 110 MB of them. */
  private static final int MAX_ROWS_FILLED = 1_000_000;

  /** What shows that a row has no id yet. */
  static final String UNFILLED = ROW_ID + " IS NULL";

  /** The comment of the list of writers in a table that is prepared. */
  private static final String WRITTEN = "txwatch: newest writers";

  private static final String INSTANTLY = ", ALGORITHM=INSTANT";

  /** As many rows without a key are searched again and again for those that are not filled yet. */
  private static final int MAX_ROWS_WITHOUT_KEY = 1_000_000;

  /** How long a busy table is watched for a moment at which no session uses it. */
  private static final Duration MAX_WAIT_FOR_UNUSED_TABLE = Duration.ofSeconds(2);

  /** How long the server shows what it gathered of transactions before. */
  private static final long CACHED_MILLIS = 105;

  /** Somebody else may have read them meanwhile. */
  private static final int MAX_READS = 3;

  private static final String NEW_ROW_ID = "uuid_short() & 9223372036854775807";

  private final boolean hasInvisibleColumns;

  /** False once this user was not shown its own transaction. */
  private volatile boolean seesTransactions = true;

  public MySqlDdl(SchemaReader reader, boolean hasInvisibleColumns) {
    super(reader);
    this.hasInvisibleColumns = hasInvisibleColumns;
  }

  @Override
  public Optional<String> obstacle(Connection connection, TableInfo table) throws SQLException {
    if (!hasInvisibleColumns) {
      return Optional.of("this version has no invisible columns (MySQL 8.0.23, MariaDB 10.3)");
    }
    List<String> engines =
        query(
            connection,
            "SELECT t.engine FROM information_schema.tables t"
                + " LEFT JOIN information_schema.engines e ON e.engine = t.engine"
                + " WHERE t.table_schema = ? AND t.table_name = ?"
                + " AND (e.transactions IS NULL OR e.transactions <> 'YES')",
            row -> text(row, 1),
            table.schema(),
            table.name());
    if (!engines.isEmpty()) {
      return Optional.of("its engine " + engines.get(0) + " has no transactions");
    }
    if (isSystemVersioned(connection, table)) {
      return Optional.of("it is system-versioned: its old rows would have to be changed, too");
    }
    if (filledByUpdate()) {
      List<String> triggers =
          query(
              connection,
              "SELECT trigger_name FROM information_schema.triggers"
                  + " WHERE event_object_schema = ? AND event_object_table = ?"
                  + " AND event_manipulation = 'UPDATE'",
              row -> text(row, 1),
              table.schema(),
              table.name());
      if (!triggers.isEmpty()) {
        return Optional.of(
            "its rows are filled by an UPDATE, which would fire its trigger " + triggers.get(0));
      }
      if (table.column(ROW_ID).isPresent() != table.column(WRITERS).isPresent()) {
        return Optional.of("one of its auxiliary columns is missing: unprepare it first");
      }
      if (fillKey(connection, table).isEmpty()
          && !reader().hasAtMost(MAX_ROWS_WITHOUT_KEY, connection, table)) {
        return Optional.of(
            "it has more than "
                + MAX_ROWS_WITHOUT_KEY
                + " rows and no primary or unique key of numbers, characters, bytes or dates by"
                + " which they could be filled in batches");
      }
    }
    return Optional.empty();
  }

  private static boolean isSystemVersioned(Connection connection, TableInfo table)
      throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?"
                + " AND table_type = 'SYSTEM VERSIONED'",
            row -> 1,
            table.schema(),
            table.name())
        .isEmpty();
  }

  @Override
  public boolean waitsForTransactions() {
    return filledByUpdate();
  }

  /** True if ADD COLUMN refuses the row id's default, so that UPDATEs fill the rows. */
  public boolean filledByUpdate() {
    return true;
  }

  /**
   * On MySQL each step starts from what the one before left in the catalog, so that one who comes
   * after an interruption goes on with the next one. The list of writers states in its comment that
   * rows are being filled, until they are.
   */
  @Override
  public List<PreparationStep> prepare(Connection connection, TableInfo table) throws SQLException {
    String name = qualified(table);
    String rowIdEnd = " INVISIBLE COMMENT 'txwatch: row id'";
    if (!filledByUpdate()) {
      return List.of(
          PreparationStep.rewrite(
              "ALTER TABLE "
                  + name
                  + (" ADD COLUMN " + ROW_ID + " BIGINT NOT NULL DEFAULT (" + NEW_ROW_ID + ")")
                  + rowIdEnd
                  + (", ADD COLUMN " + writers(firstWriters(connection, table), WRITTEN))));
    }
    List<PreparationStep> steps = new ArrayList<>();
    Optional<Column> writers = table.column(WRITERS);
    String unwritten =
        writers.isPresent() ? writers.get().defaultValue() : firstWriters(connection, table);
    if (writers.isEmpty()) {
      steps.add(
          add(
              connection,
              table,
              "ALTER TABLE "
                  + name
                  + (" ADD COLUMN " + ROW_ID + " BIGINT" + rowIdEnd)
                  + (", ADD COLUMN " + writers(unwritten, MySqlSchemaReader.FILLING_COMMENT))));
    } else if (!writers.get().comment().equals(MySqlSchemaReader.FILLING_COMMENT)) {
      steps.add(
          PreparationStep.instant(
              "ALTER TABLE "
                  + name
                  + " MODIFY COLUMN "
                  + writers(unwritten, MySqlSchemaReader.FILLING_COMMENT)));
    }
    if (table.column(ROW_ID).filter(MySqlSchemaReader::generatesRowIds).isEmpty()) {
      steps.add(
          PreparationStep.instant(
              "ALTER TABLE "
                  + name
                  + (" ALTER COLUMN " + ROW_ID + " SET DEFAULT (" + NEW_ROW_ID + ")")));
    }
    steps.add(
        new PreparationStep(
            "UPDATE " + name + " SET " + assignments(connection, table) + " WHERE " + UNFILLED,
            Work.FILL));
    steps.add(
        PreparationStep.instant(
            "ALTER TABLE " + name + " MODIFY COLUMN " + writers(unwritten, WRITTEN)));
    return steps;
  }

  /** What the list of writers is in rows that are there already. */
  private String firstWriters(Connection connection, TableInfo table) throws SQLException {
    return reader().hasAtMost(MAX_ROWS_FILLED, connection, table) ? WriterList.UNWRITTEN : "";
  }

  private String writers(String unwritten, String comment) {
    return WRITERS
        + (" VARCHAR(" + WritersColumn.length(reader().sql()) + ")")
        + (" CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '" + unwritten + "'")
        + (" INVISIBLE COMMENT '" + comment + "'");
  }

  private static String assignments(Connection connection, TableInfo table) throws SQLException {
    StringBuilder assignments = new StringBuilder(ROW_ID + " = " + NEW_ROW_ID);
    for (String column : updatedByThemselves(connection, table)) {
      String quoted = MySqlSql.INSTANCE.quoteInDdl(column);
      assignments.append(", ").append(quoted).append(" = ").append(quoted);
    }
    return assignments.toString();
  }

  /** A change of columns, as it is done to a table of that kind. */
  private static PreparationStep add(Connection connection, TableInfo table, String sql)
      throws SQLException {
    List<String> reasons =
        query(
            connection,
            "SELECT 'row format' FROM information_schema.tables WHERE table_schema = ?"
                + " AND table_name = ? AND row_format = 'Compressed' UNION ALL"
                + " SELECT 'full text' FROM information_schema.statistics WHERE table_schema = ?"
                + " AND table_name = ? AND index_type = 'FULLTEXT'",
            row -> text(row, 1),
            table.schema(),
            table.name(),
            table.schema(),
            table.name());
    return reasons.isEmpty()
        ? PreparationStep.instant(sql + INSTANTLY)
        : PreparationStep.rewrite(sql);
  }

  @Override
  public void apply(Connection connection, TableInfo table, PreparationStep step, RetryPolicy pace)
      throws SQLException {
    if (filledByUpdate() && step.work() == Work.INSTANT) {
      try {
        awaitUnused(connection, table);
        instantly(connection, step.sql(), pace);
      } catch (SQLException e) {
        if (!step.sql().endsWith(INSTANTLY) || !DdlErrors.isOtherAlgorithmNeeded(e)) {
          throw e;
        }
        pace.progress()
            .accept(table.name() + ": it cannot be done instantly, the table is written anew");
        run(connection, List.of(step.sql().replace(INSTANTLY, "")));
      }
    } else if (step.work() == Work.FILL) {
      new MySqlBackfill(
              connection,
              qualified(table),
              assignments(connection, table),
              fillKey(connection, table).orElse(null),
              pace)
          .run();
    } else {
      run(connection, List.of(step.sql()));
    }
  }

  /**
   * Waits a while for a moment at which no transaction uses the table. A transaction that has read
   * it and goes on to write it while an ALTER TABLE waits for it is rolled back (1213): the shorter
   * the wait, the fewer.
   */
  private static void awaitUnused(Connection connection, TableInfo table) {
    long deadline = System.nanoTime() + MAX_WAIT_FOR_UNUSED_TABLE.toNanos();
    try {
      while (System.nanoTime() < deadline
          && !query(
                  connection,
                  "SELECT 1 FROM performance_schema.metadata_locks WHERE object_type = 'TABLE'"
                      + " AND object_schema = ? AND object_name = ? LIMIT 1",
                  row -> 1,
                  table.schema(),
                  table.name())
              .isEmpty()
          && RetryPolicy.sleep(Duration.ofMillis(1))) {
        continue;
      }
    } catch (SQLException e) {
      // It cannot be seen from here: the wait is bounded all the same.
    }
  }

  private static void instantly(Connection connection, String sql, RetryPolicy pace)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      CancelTimeout.run(statement, pace.lockWait(), () -> statement.execute(sql));
    }
  }

  /** The first key, the primary one before others, whose values can be carried safely. */
  private static Optional<MySqlBackfill.Key> fillKey(Connection connection, TableInfo table)
      throws SQLException {
    record Part(String index, String column, @Nullable KeyType type) {}
    Map<String, List<Part>> keys = new LinkedHashMap<>();
    query(
            connection,
            "SELECT s.index_name, s.column_name, c.column_type, s.sub_part, c.is_nullable"
                + " FROM information_schema.statistics s LEFT JOIN information_schema.columns c"
                + " ON c.table_schema = s.table_schema AND c.table_name = s.table_name"
                + " AND c.column_name = s.column_name"
                + " WHERE s.table_schema = ? AND s.table_name = ? AND s.non_unique = 0"
                + " ORDER BY s.index_name <> 'PRIMARY', s.index_name, s.seq_in_index",
            row -> {
              boolean whole = row.getString(4) == null && text(row, 5).equals("NO");
              return new Part(text(row, 1), text(row, 2), whole ? KeyType.of(text(row, 3)) : null);
            },
            table.schema(),
            table.name())
        .forEach(part -> keys.computeIfAbsent(part.index, i -> new ArrayList<>()).add(part));
    for (List<Part> key : keys.values()) {
      List<MySqlBackfill.BackfillColumn> columns = new ArrayList<>();
      for (Part part : key) {
        KeyType type = part.type;
        if (type != null) {
          columns.add(
              new MySqlBackfill.BackfillColumn(MySqlSql.INSTANCE.quoteInDdl(part.column), type));
        }
      }
      if (columns.size() == key.size()) {
        return Optional.of(
            new MySqlBackfill.Key(MySqlSql.INSTANCE.quoteInDdl(key.get(0).index), columns));
      }
    }
    return Optional.empty();
  }

  private static List<String> updatedByThemselves(Connection connection, TableInfo table)
      throws SQLException {
    return query(
        connection,
        "SELECT column_name FROM information_schema.columns WHERE table_schema = ?"
            + " AND table_name = ? AND extra LIKE '%on update%'",
        row -> text(row, 1),
        table.schema(),
        table.name());
  }

  @Override
  public List<PreparationStep> unprepare(Connection connection, TableInfo table)
      throws SQLException {
    String sql =
        "ALTER TABLE "
            + qualified(table)
            + table.columns().stream()
                .filter(c -> AuxiliaryColumns.isAuxiliary(c.name()))
                .map(c -> " DROP COLUMN " + reader().sql().quoteInDdl(c.name()))
                .collect(Collectors.joining(","));
    return List.of(filledByUpdate() ? add(connection, table, sql) : PreparationStep.rewrite(sql));
  }

  /** Counted as far as that is quick; the estimate beyond may be a day old. */
  @Override
  public long rows(Connection connection, TableInfo table) throws SQLException {
    long counted = reader().countUpTo(MAX_ROWS_FILLED + 1, connection, table);
    if (counted <= MAX_ROWS_FILLED) {
      return counted;
    }
    List<Long> estimates =
        query(
            connection,
            "SELECT table_rows FROM information_schema.tables"
                + " WHERE table_schema = ? AND table_name = ?",
            row -> row.getLong(1),
            table.schema(),
            table.name());
    return Math.max(counted, estimates.get(0));
  }

  @Override
  public int rowsPerSecond(Work work) {
    return work == Work.FILL ? 20_000 : 100_000;
  }

  @Override
  public String analyze(TableInfo table) {
    return "ANALYZE NO_WRITE_TO_BINLOG TABLE " + qualified(table);
  }

  /** An older snapshot would be refused (error 1412). */
  @Override
  public boolean isInUse(Connection connection, TableInfo table) {
    return isLocked(connection, table) || hasSnapshot(connection, table);
  }

  /**
   * True if another session is known to hold a snapshot. The server gathers {@code innodb_trx}
   * again only if no transaction has read it for 100 ms, and shows what it was until then. So our
   * query looks for itself in what it is shown, and waits if it is not there.
   */
  private boolean hasSnapshot(Connection connection, TableInfo table) {
    try {
      boolean others = false;
      for (int i = 0; i < MAX_READS && (i == 0 || seesTransactions); i++) {
        if (i > 0) {
          TimeUnit.MILLISECONDS.sleep(CACHED_MILLIS);
        }
        String mark = "txwatch " + System.nanoTime();
        run(connection, List.of("START TRANSACTION WITH CONSISTENT SNAPSHOT"));
        List<String> seen =
            query(
                connection,
                "SELECT IF(p.id <> CONNECTION_ID(), 'other', IF(t.trx_query LIKE '%"
                    + mark
                    + "%', 'this', 'before')) FROM information_schema.innodb_trx t"
                    + " JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id"
                    + " WHERE p.id = CONNECTION_ID() OR ((p.db = ? OR p.db IS NULL)"
                    + " AND t.trx_isolation_level NOT LIKE 'READ %')",
                row -> text(row, 1),
                table.schema());
        run(connection, List.of("COMMIT"));
        others = seen.contains("other");
        if (seen.contains("this")) {
          return others;
        }
      }
      seesTransactions = false; // this user may not, or another reads them all the time
      return others;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** True if a session is known to hold a metadata lock on a table. */
  public boolean isLocked(Connection connection, TableInfo table) {
    return finds(
        connection,
        "SELECT 1 FROM performance_schema.metadata_locks WHERE object_type = 'TABLE'"
            + " AND object_schema = ? AND object_name = ? LIMIT 1",
        table.schema(),
        table.name());
  }

  /** False also if this user may not see it. */
  private static boolean finds(Connection connection, String sql, String... parameters) {
    try {
      return !query(connection, sql, row -> true, parameters).isEmpty();
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public boolean ddlIsTransactional() {
    return false;
  }

  @Override
  public String lockNote(List<PreparationStep> steps) {
    List<String> notes = new ArrayList<>();
    for (Work work : Work.values()) {
      if (steps.stream().anyMatch(step -> step.work() == work)) {
        notes.add(
            switch (work) {
              case INSTANT ->
                  "instant: the catalog alone changes; a transaction with an older snapshot fails"
                      + " once with error 1412 when it then reads the table, one that reads and"
                      + " then writes it in this moment with 1213";
              case REWRITE ->
                  "rewrite: the table is copied: reads go on, writes wait meanwhile; a transaction"
                      + " that reads and then writes it as this begins or ends fails once with"
                      + " 1213";
              case FILL ->
                  "fill: rows are written in batches of at most "
                      + MySqlBackfill.MAX_BATCH
                      + ", each locked for about 50 ms; what others have locked is done later";
            });
      }
    }
    if (steps.stream().anyMatch(step -> step.sql().contains(WriterList.UNWRITTEN))) {
      notes.add("the dots are room for the writers to come");
    }
    return String.join("; ", notes);
  }
}
