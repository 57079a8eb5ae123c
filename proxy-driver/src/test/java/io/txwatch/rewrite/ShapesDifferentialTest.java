package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * Raw beside watched: the statements of {@link ShapeGenerator} go to a database as they are, and,
 * through watched connections of each level, to one that is the same. What comes back must be the
 * same: columns with their types, rows, counts, keys, errors, and what the tables hold afterwards.
 * A statement that differs is reduced before it is reported.
 */
class ShapesDifferentialTest {

  /** A connection to compare with the raw one. */
  private record Watched(String name, Connection connection) {}

  private static final List<Watched> WATCHED = new ArrayList<>();
  private static @Nullable TestDatabase watchedDatabase;
  private static @Nullable Connection raw;

  /** Connections to all databases that nobody watches. */
  private static final List<Connection> BESIDE = new ArrayList<>();

  private static final Pattern WRITES = Pattern.compile("INSERT|UPDATE [^N]|DELETE|MERGE");
  private static final Pattern GENERATES = Pattern.compile("INSERT INTO g\\b");
  private static final String RESTART = "SELECT setval('g_n_seq', 50)";
  private static final String CONTENTS =
      """
      SELECT 't', id, a, b FROM t UNION ALL SELECT 'u', id, t_id, c FROM u
      UNION ALL SELECT 'w', a, NULL, c FROM w UNION ALL SELECT 'e', id, NULL, x FROM e
      UNION ALL SELECT 'g', n, k, s FROM g UNION ALL SELECT 'p', k, NULL, v FROM p
      """;

  @BeforeContainer
  static void open() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Connection plain = connection(url);
    TestDatabase.execute(plain, ShapeGenerator.TABLES);
    plain.setAutoCommit(false);
    raw = plain;
    TestDatabase database = TestDatabase.of(ServerKind.POSTGRESQL, ShapeGenerator.TABLES);
    watchedDatabase = database;
    BESIDE.add(DriverManager.getConnection(url));
    BESIDE.add(database.raw());
    for (RewritePlanner.Level level : RewritePlanner.Level.values()) {
      String name = level.name().toLowerCase(Locale.ROOT);
      Settings settings = Settings.of(Map.of(Setting.INSTRUMENT, name));
      Connection connection = database.watched(connection(database.url), settings);
      connection.setAutoCommit(false);
      WATCHED.add(new Watched(name, connection));
    }
    for (Connection beside : BESIDE) {
      // Plans depend on what is known of the tables, and errors of evaluation on plans.
      TestDatabase.execute(beside, "ANALYZE", RESTART);
    }
  }

  private static Connection raw() {
    return Objects.requireNonNull(raw);
  }

  /** One that keeps no statement prepared: how often a text is sent differs. */
  private static Connection connection(String url) throws SQLException {
    return DriverManager.getConnection(
        url + (url.contains("?") ? "&" : "?") + "prepareThreshold=0");
  }

  @AfterContainer
  static void close() throws SQLException {
    for (Watched watched : WATCHED) {
      watched.connection.close();
    }
    for (Connection connection : BESIDE) {
      connection.close();
    }
    raw().close();
    BESIDE.clear();
    WATCHED.clear();
    watchedDatabase = null;
  }

  /** MERGE returns our columns, and a driver that returns keys gives them all. */
  @Example
  void keysOfMerge() throws SQLException {
    postgresql(1173);
  }

  @Property(
      seed = "2026112801",
      tries = 300,
      edgeCases = EdgeCasesMode.NONE,
      generation = GenerationMode.RANDOMIZED,
      shrinking = ShrinkingMode.OFF)
  void postgresql(@ForAll long seed) throws SQLException {
    List<String> script = new ShapeGenerator(seed).script();
    Way way = Way.values()[(int) Math.floorMod(seed, (long) Way.values().length)];
    Watched watched = WATCHED.get((int) Math.floorMod(seed / 7, (long) WATCHED.size()));
    if (differs(watched, script, way)) {
      List<String> least = reduced(watched, script, way);
      assertThat(outcome(watched.connection, least, way))
          .as("seed %s, %s, %s: %s", seed, watched.name, way, String.join("; ", least))
          .isEqualTo(outcome(raw(), least, way));
    }
    TestDatabase database = Objects.requireNonNull(watchedDatabase);
    assertThat(database.events(Event.Gap.class))
        .as("seed %s, %s: %s", seed, watched.name, script)
        .noneMatch(gap -> gap.reason() == GapReason.FAULT);
    database.events().clear();
  }

  private static boolean differs(Watched watched, List<String> script, Way way)
      throws SQLException {
    List<String> outcome = outcome(watched.connection, script, way);
    return !outcome(raw(), script, way).equals(outcome);
  }

  /** Leaves out of the last statement that differs whatever makes no difference. */
  private static List<String> reduced(Watched watched, List<String> script, Way way)
      throws SQLException {
    List<String> least = new ArrayList<>(script);
    for (int s = 0; s < least.size(); s++) {
      for (int length = 64; length > 0; length /= 2) {
        for (int from = 0; ; ) {
          Tokens tokens = Tokenizer.tokenize(least.get(s), Dialect.POSTGRESQL);
          if (from + length > tokens.count()) {
            break;
          }
          String sql = least.get(s);
          List<String> less = new ArrayList<>(least);
          less.set(
              s,
              sql.substring(0, tokens.start(from))
                  + sql.substring(tokens.end(from + length - 1)).stripLeading());
          if (!less.get(s).isBlank() && differs(watched, less, way)) {
            least = less;
          } else {
            from++;
          }
        }
      }
    }
    return least;
  }

  /** The ways to execute a text. */
  enum Way {
    EXECUTE,
    PREPARED,
    PARAMETERS,
    SCROLLABLE,
    KEYS,
    FETCHED,
    TWICE
  }

  private static List<String> outcome(Connection connection, List<String> script, Way way)
      throws SQLException {
    List<String> seen = new ArrayList<>();
    try {
      boolean writes = false;
      for (String sql : script) {
        seen.addAll(outcome(connection, sql, way));
        writes |= WRITES.matcher(sql).find();
      }
      if (writes) {
        try (Statement statement = connection.createStatement()) {
          rows(statement.executeQuery(CONTENTS), seen);
        }
      }
    } catch (SQLException e) {
      String message = String.valueOf(e.getMessage()).replaceAll("\\s*Position: \\d+", "");
      seen.add("error " + e.getSQLState() + " " + message);
    }
    connection.rollback();
    if (GENERATES.matcher(script.get(0)).find()) {
      for (Connection beside : BESIDE) {
        TestDatabase.execute(beside, RESTART);
      }
    }
    return seen;
  }

  private static List<String> outcome(Connection connection, String sql, Way way)
      throws SQLException {
    switch (way) {
      case EXECUTE -> {
        try (Statement statement = connection.createStatement()) {
          return seen(statement, statement.execute(sql));
        }
      }
      case SCROLLABLE -> {
        try (Statement statement =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
          return seen(statement, statement.execute(sql));
        }
      }
      case KEYS -> {
        try (Statement statement = connection.createStatement()) {
          List<String> seen =
              seen(statement, statement.execute(sql, Statement.RETURN_GENERATED_KEYS));
          rows(statement.getGeneratedKeys(), seen);
          return seen;
        }
      }
      default -> {
        List<Integer> values = new ArrayList<>();
        String text = way == Way.PARAMETERS ? withParameters(sql, values) : sql;
        try (PreparedStatement statement = connection.prepareStatement(text)) {
          if (way == Way.FETCHED) {
            statement.setFetchSize(1);
          }
          List<String> seen = new ArrayList<>();
          if (way != Way.TWICE) {
            columns(statement.getMetaData(), seen);
          }
          for (int i = 0; i < values.size(); i++) {
            statement.setInt(i + 1, values.get(i));
          }
          int times = way == Way.TWICE ? 2 : 1;
          for (int i = 0; i < times; i++) {
            seen.addAll(seen(statement, statement.execute()));
          }
          return seen;
        }
      }
    }
  }

  /** Makes parameters of the numbers that are compared. */
  private static String withParameters(String sql, List<Integer> values) {
    Tokens tokens = Tokenizer.tokenize(sql, Dialect.POSTGRESQL);
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (int i = 1; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.NUMBER)
          && (tokens.is(i - 1, TokenKind.OPERATOR) || tokens.isAnyWord(i - 1, "BETWEEN", "LIMIT"))
          && tokens.text(i).length() < 5
          && tokens.text(i).chars().allMatch(Character::isDigit)) {
        values.add(Integer.parseInt(tokens.text(i)));
        out.append(sql, at, tokens.start(i)).append('?');
        at = tokens.end(i);
      }
    }
    return out.append(sql, at, sql.length()).toString();
  }

  private static List<String> seen(Statement statement, boolean isResult) throws SQLException {
    List<String> seen = new ArrayList<>();
    seen.add("count " + statement.getUpdateCount());
    if (isResult) {
      rows(statement.getResultSet(), seen);
    }
    return seen;
  }

  private static void rows(ResultSet result, List<String> seen) throws SQLException {
    columns(result.getMetaData(), seen);
    int columns = result.getMetaData().getColumnCount();
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      StringBuilder row = new StringBuilder();
      for (int i = 1; i <= columns; i++) {
        row.append(result.getString(i)).append('|');
      }
      rows.add(row.toString());
    }
    Collections.sort(rows);
    seen.addAll(rows);
    result.close();
  }

  private static void columns(@Nullable ResultSetMetaData columns, List<String> seen)
      throws SQLException {
    if (columns == null) {
      seen.add("no columns");
      return;
    }
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      seen.add(
          "column "
              + columns.getColumnLabel(i)
              + " "
              + columns.getColumnTypeName(i)
              + " "
              + columns.getTableName(i)
              + " "
              + columns.isNullable(i));
    }
  }
}
