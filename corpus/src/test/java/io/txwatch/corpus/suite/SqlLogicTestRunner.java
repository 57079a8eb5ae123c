package io.txwatch.corpus.suite;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Difference;
import io.txwatch.corpus.ExecutionMethod;
import io.txwatch.corpus.Outcome;
import io.txwatch.corpus.Script.Step;
import io.txwatch.corpus.StatementTraits;
import io.txwatch.corpus.Watching;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs files of sqllogictest statement by statement on an unwatched database and on a watched one
 * for each level. Each file begins with empty databases. On the watched ones, a table that it
 * creates is prepared before the next statement.
 */
final class SqlLogicTestRunner {

  /** Counts of one level. */
  static final class Tally {
    long statements;
    long differences;
    long observed;
    final Map<GapReason, Long> gaps = new EnumMap<>(GapReason.class);
    final Map<String, Long> notPrepared = new TreeMap<>();
  }

  private static final int TRANSACTION_LENGTH = 10;
  private static final Pattern CREATE_TABLE =
      Pattern.compile("(?i)\\s*create\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?([\\w.]+)");
  private static final Pattern DDL =
      Pattern.compile("(?i)\\s*(?:create|drop|alter|reindex|truncate)\\b");

  private final ServerKind kind;
  private final boolean transactions;
  private final Map<Level, Tally> tallies = new EnumMap<>(Level.class);
  private final Map<Level, Pipeline> pipelines = new EnumMap<>(Level.class);
  private long statements;
  private long failed;

  SqlLogicTestRunner(ServerKind kind, boolean transactions, List<Level> levels) {
    this.kind = kind;
    this.transactions = transactions;
    for (Level level : levels) {
      Tally tally = new Tally();
      tallies.put(level, tally);
      pipelines.put(level, new Pipeline(Ids.ofNode(1), new CountingSink(tally)));
    }
  }

  /** The counts by level. */
  Map<Level, Tally> tallies() {
    return tallies;
  }

  /** The number of statements that were sent to the unwatched database. */
  long statements() {
    return statements;
  }

  /** The number of those that failed. */
  long failed() {
    return failed;
  }

  /** Runs a file and reports the differences. */
  void run(SqlLogicTestFile file, String name, Consumer<Difference> differences)
      throws SQLException {
    List<TestDatabase> watched = new ArrayList<>();
    try (TestDatabase raw = TestDatabase.raw(kind)) {
      for (Level level : tallies.keySet()) {
        watched.add(
            TestDatabase.watched(kind, level, Objects.requireNonNull(pipelines.get(level))));
      }
      raw.begin(transactions);
      for (TestDatabase database : watched) {
        database.begin(transactions);
      }
      int sent = 0;
      for (SqlLogicTestFile.Entry entry : file.entries()) {
        Step step = new Step(entry.sql(), List.of(), method(entry.sql(), sent++));
        boolean ends = transactions && sent % TRANSACTION_LENGTH == 0;
        Outcome expected = raw.perform(step, ends);
        statements++;
        failed += expected.failed() ? 1 : 0;
        for (TestDatabase database : watched) {
          Outcome seen = database.perform(step, ends);
          String at = name + ":" + entry.line();
          compare(
              database, at, "outcome", entry.sql(), expected.lines(), seen.lines(), differences);
          Matcher create = CREATE_TABLE.matcher(entry.sql());
          if (!expected.failed() && create.lookingAt()) {
            database.prepare(create.group(1), tally(database));
          }
        }
      }
      Map<String, List<String>> rawContents = raw.contents();
      for (TestDatabase database : watched) {
        for (Map.Entry<String, List<String>> table : rawContents.entrySet()) {
          List<String> rows = database.contents(table.getKey());
          compare(database, name, "tables", table.getKey(), table.getValue(), rows, differences);
        }
      }
    } finally {
      for (TestDatabase database : watched) {
        database.close();
      }
    }
  }

  private Tally tally(TestDatabase database) {
    return Objects.requireNonNull(tallies.get(database.level));
  }

  private void compare(
      TestDatabase database,
      String at,
      String aspect,
      String sql,
      List<String> raw,
      List<String> seen,
      Consumer<Difference> differences) {
    Tally tally = tally(database);
    tally.statements += aspect.equals("outcome") ? 1 : 0;
    if (!raw.equals(seen)) {
      tally.differences++;
      boolean onlyOrder = sorted(raw).equals(sorted(seen));
      differences.accept(
          Difference.of(kind, database.level, at, onlyOrder ? "order" : aspect, sql, raw, seen));
    }
  }

  private static List<String> sorted(List<String> lines) {
    List<String> sorted = new ArrayList<>(lines);
    Collections.sort(sorted);
    return sorted;
  }

  /** Chooses an execution method in turn. SQLite has no scrollable results. */
  private ExecutionMethod method(String sql, int turn) {
    if (!StatementTraits.isQueryOrWrite(sql)) {
      return ExecutionMethod.PLAIN;
    }
    ExecutionMethod third =
        StatementTraits.mayWrite(sql)
            ? ExecutionMethod.GENERATED_KEYS
            : kind == ServerKind.SQLITE ? ExecutionMethod.PLAIN : ExecutionMethod.SCROLLED;
    return switch (turn % 4) {
      case 0, 2 -> ExecutionMethod.PLAIN;
      case 1 -> ExecutionMethod.PREPARED;
      default -> third;
    };
  }

  /** A new database and a connection to it. */
  private static final class TestDatabase implements AutoCloseable {

    private final ServerKind kind;
    final Level level;
    private final String url;
    private final Connection real;
    private final Connection connection;

    private TestDatabase(
        ServerKind kind, Level level, String url, Connection real, Connection connection) {
      this.kind = kind;
      this.level = level;
      this.url = url;
      this.real = real;
      this.connection = connection;
    }

    static TestDatabase raw(ServerKind kind) throws SQLException {
      String url = database(kind);
      Connection real = DriverManager.getConnection(url);
      return new TestDatabase(kind, Level.INLINE, url, real, real);
    }

    static TestDatabase watched(ServerKind kind, Level level, Pipeline pipeline)
        throws SQLException {
      String url = database(kind);
      Connection real = DriverManager.getConnection(url);
      Connection watched = Watching.watch(real, url, level, pipeline);
      return new TestDatabase(kind, level, url, real, watched);
    }

    /**
     * The URL of a new, empty database. Its parameters keep the run short: SQLite does not wait for
     * the disk at every commit, and MySQL and MariaDB do not search all orders of a join of 30
     * tables, which takes seconds.
     */
    private static String database(ServerKind kind) throws SQLException {
      String url = TestServers.freshDatabase(kind);
      return switch (kind) {
        case SQLITE -> url + "?synchronous=OFF";
        case MYSQL, MARIADB ->
            url + (url.contains("?") ? "&" : "?") + "sessionVariables=optimizer_search_depth=3";
        case POSTGRESQL, H2 -> url;
      };
    }

    void begin(boolean transactions) throws SQLException {
      connection.setAutoCommit(!transactions);
    }

    /**
     * Executes a step. An error ends its transaction, as PostgreSQL requires; DDL is a transaction
     * of its own.
     */
    Outcome perform(Step step, boolean ends) throws SQLException {
      boolean ddl = DDL.matcher(step.sql()).lookingAt();
      if (ddl && !connection.getAutoCommit()) {
        connection.commit();
      }
      Outcome outcome =
          Outcome.of(
              StatementTraits.isOrdered(step.sql()),
              kind == ServerKind.SQLITE,
              seen -> step.method().execute(connection, step, seen));
      if (!connection.getAutoCommit()) {
        if (outcome.failed()) {
          connection.rollback();
        } else if (ends || ddl) {
          connection.commit();
        }
      }
      return outcome;
    }

    void prepare(String table, Tally tally) throws SQLException {
      PreparationResult result = Watching.prepare(url, List.of(table));
      if (!result.complete()) {
        tally.notPrepared.merge(String.valueOf(result.failed()), 1L, Long::sum);
      }
    }

    /** The rows of every table, by the table's name, without the auxiliary columns. */
    Map<String, List<String>> contents() throws SQLException {
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
      Map<String, List<String>> contents = new TreeMap<>();
      List<String> names = new ArrayList<>();
      String schema = kind == ServerKind.POSTGRESQL ? "public" : null;
      try (ResultSet tables =
          real.getMetaData()
              .getTables(real.getCatalog(), schema, "%", new String[] {"TABLE", "BASE TABLE"})) {
        while (tables.next()) {
          names.add(tables.getString("TABLE_NAME"));
        }
      }
      for (String name : names) {
        contents.put(name, contents(name));
      }
      return contents;
    }

    List<String> contents(String table) throws SQLException {
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
      List<String> rows = new ArrayList<>();
      try (Statement statement = real.createStatement();
          ResultSet result = statement.executeQuery("SELECT * FROM " + table)) {
        while (result.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            if (!result
                .getMetaData()
                .getColumnName(i)
                .toLowerCase(Locale.ROOT)
                .startsWith("txw_")) {
              row.append(result.getString(i)).append(" | ");
            }
          }
          rows.add(row.toString());
        }
      } catch (SQLException e) {
        rows.add("error " + e.getMessage());
      }
      Collections.sort(rows);
      return rows;
    }

    @Override
    public void close() throws SQLException {
      connection.close();
      real.close();
      if (kind.isServer()) {
        String database = databaseName(url);
        try (Connection own = TestServers.of(kind).connect();
            Statement statement = own.createStatement()) {
          statement.execute("DROP DATABASE " + database);
        }
      }
    }

    private static String databaseName(String url) {
      return url.replaceFirst("\\?.*", "").replaceFirst(".*/", "");
    }
  }

  private record CountingSink(Tally tally) implements EventSink {

    @Override
    public synchronized void accept(Event event) {
      if (event instanceof Event.Gap gap) {
        tally.gaps.merge(gap.reason(), 1L, Long::sum);
      } else if (event instanceof Event.StatementExecuted) {
        tally.observed++;
      }
    }

    @Override
    public void close() {}
  }
}
