package io.txwatch.corpus.suite;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Difference;
import io.txwatch.corpus.Outcome;
import io.txwatch.corpus.Script.Step;
import io.txwatch.corpus.Texts;
import io.txwatch.corpus.Way;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.jdbc.Watch;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationPlan;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.RewritePlanner.Level;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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
 * Runs files of sqllogictest on a database that nobody watches and, statement by statement, on a
 * watched one for each level. Each file begins with empty databases; a table that it creates is
 * prepared before the next statement on the watched ones, and on those alone.
 */
final class LogicTwins {

  /** What was compared and observed at one level. */
  static final class Tally {
    long statements;
    long differences;
    long observed;
    final Map<GapReason, Long> gaps = new EnumMap<>(GapReason.class);
    final Map<String, Long> notPrepared = new TreeMap<>();
  }

  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);
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

  LogicTwins(ServerKind kind, boolean transactions, List<Level> levels) {
    this.kind = kind;
    this.transactions = transactions;
    for (Level level : levels) {
      Tally tally = new Tally();
      tallies.put(level, tally);
      pipelines.put(level, new Pipeline(Ids.ofNode(1), new CountingSink(tally)));
    }
  }

  /** By level. */
  Map<Level, Tally> tallies() {
    return tallies;
  }

  /** How many statements were sent to the database that nobody watches. */
  long statements() {
    return statements;
  }

  /** How many of these failed there. */
  long failed() {
    return failed;
  }

  /** Runs a file, and hands over what differs. */
  void run(LogicTestFile file, String name, Consumer<Difference> differences) throws SQLException {
    List<Side> watched = new ArrayList<>();
    try (Side raw = Side.raw(kind)) {
      for (Level level : tallies.keySet()) {
        watched.add(Side.watched(kind, level, Objects.requireNonNull(pipelines.get(level))));
      }
      raw.begin(transactions);
      for (Side side : watched) {
        side.begin(transactions);
      }
      int sent = 0;
      for (LogicTestFile.Entry entry : file.entries()) {
        Step step = new Step(entry.sql(), List.of(), way(entry.sql(), sent++));
        boolean ends = transactions && sent % TRANSACTION_LENGTH == 0;
        Outcome expected = raw.perform(step, ends);
        statements++;
        failed += expected.failed() ? 1 : 0;
        for (Side side : watched) {
          Outcome seen = side.perform(step, ends);
          String at = name + ":" + entry.line();
          compare(side, at, "outcome", entry.sql(), expected.lines(), seen.lines(), differences);
          Matcher create = CREATE_TABLE.matcher(entry.sql());
          if (!expected.failed() && create.lookingAt()) {
            side.prepare(create.group(1), tally(side));
          }
        }
      }
      Map<String, List<String>> held = raw.contents();
      for (Side side : watched) {
        for (Map.Entry<String, List<String>> table : held.entrySet()) {
          List<String> rows = side.contents(table.getKey());
          compare(side, name, "tables", table.getKey(), table.getValue(), rows, differences);
        }
      }
    } finally {
      for (Side side : watched) {
        side.close();
      }
    }
  }

  private Tally tally(Side side) {
    return Objects.requireNonNull(tallies.get(side.level));
  }

  private void compare(
      Side side,
      String at,
      String what,
      String sql,
      List<String> raw,
      List<String> seen,
      Consumer<Difference> differences) {
    Tally tally = tally(side);
    tally.statements += what.equals("outcome") ? 1 : 0;
    if (!raw.equals(seen)) {
      tally.differences++;
      boolean onlyOrder = sorted(raw).equals(sorted(seen));
      differences.accept(
          Difference.of(kind, side.level, at, onlyOrder ? "order" : what, sql, raw, seen));
    }
  }

  private static List<String> sorted(List<String> lines) {
    List<String> sorted = new ArrayList<>(lines);
    Collections.sort(sorted);
    return sorted;
  }

  /** In turns, the ways in which applications execute statements; SQLite scrolls no results. */
  private Way way(String sql, int turn) {
    if (!Texts.isOfRows(sql)) {
      return Way.PLAIN;
    }
    Way third =
        Texts.mayWrite(sql) ? Way.KEYS : kind == ServerKind.SQLITE ? Way.PLAIN : Way.SCROLLED;
    return switch (turn % 4) {
      case 0, 2 -> Way.PLAIN;
      case 1 -> Way.PREPARED;
      default -> third;
    };
  }

  /** A new database, and a connection to it. */
  private static final class Side implements AutoCloseable {

    private final ServerKind kind;
    final Level level;
    private final String url;
    private final Connection real;
    private final Connection connection;

    private Side(ServerKind kind, Level level, String url, Connection real, Connection connection) {
      this.kind = kind;
      this.level = level;
      this.url = url;
      this.real = real;
      this.connection = connection;
    }

    static Side raw(ServerKind kind) throws SQLException {
      String url = database(kind);
      Connection real = DriverManager.getConnection(url);
      return new Side(kind, Level.INLINE, url, real, real);
    }

    static Side watched(ServerKind kind, Level level, Pipeline pipeline) throws SQLException {
      String url = database(kind);
      Connection real = DriverManager.getConnection(url);
      Settings settings =
          Settings.of(
              Map.of(
                  Setting.INSTRUMENT,
                  level.name().toLowerCase(Locale.ROOT),
                  Setting.REDACT,
                  "false"));
      Connection watched =
          Watch.connection(
              real, url, "", () -> DriverManager.getConnection(url), settings, pipeline);
      return new Side(kind, level, url, real, watched);
    }

    /**
     * The URL of a new, empty database, with what keeps the run short: SQLite does not wait for the
     * disk at every commit, and MySQL and MariaDB do not search all orders of a join of 30 tables,
     * which takes them seconds.
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
     * In a transaction, an error ends it, as PostgreSQL demands; DDL is a transaction of its own.
     */
    Outcome perform(Step step, boolean ends) throws SQLException {
      boolean ddl = DDL.matcher(step.sql()).lookingAt();
      if (ddl && !connection.getAutoCommit()) {
        connection.commit();
      }
      Outcome outcome =
          Outcome.of(
              Texts.isOrdered(step.sql()),
              kind == ServerKind.SQLITE,
              seen -> step.way().run(connection, step, seen));
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
      try (Connection own = DriverManager.getConnection(url)) {
        Preparation preparation = Preparation.of(own, url, LOCK_TIMEOUT);
        PreparationPlan plan = preparation.planPrepare(List.of(table));
        PreparationResult result = preparation.execute(plan);
        if (!result.complete()) {
          tally.notPrepared.merge(String.valueOf(result.failed()), 1L, Long::sum);
        }
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
        String database = real(url);
        try (Connection own = TestServers.of(kind).connect();
            Statement statement = own.createStatement()) {
          statement.execute("DROP DATABASE " + database);
        }
      }
    }

    private static String real(String url) {
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
