package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowChoice;
import io.txwatch.jdbc.Watch;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Settings;
import io.txwatch.version.ConditionValue;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random conditions on random rows, of many types and collations: what is computed from the record
 * of changes is what the DBMS says, or is not decided.
 */
class ConditionsTest {

  private static final int ROWS = 60;
  private static final int CONDITIONS = Integer.getInteger("txwatch.test.conditions", 300);

  static Stream<ServerKind> kinds() {
    return Stream.of(ServerKind.H2, ServerKind.MYSQL, ServerKind.MARIADB)
        .filter(kind -> TestServers.missing(kind).isEmpty());
  }

  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final Pipeline pipeline =
      new Pipeline(
          Ids.ofNode(1),
          new EventSink() {
            @Override
            public void accept(Event event) {
              events.add(event);
            }

            @Override
            public void close() {}
          });

  private <T extends Event> List<T> of(Class<T> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theDbmsSaysTheSame(ServerKind kind) throws Exception {
    if (kind == ServerKind.H2) {
      compare(kind, "jdbc:h2:mem:conditions;DB_CLOSE_DELAY=-1");
      return;
    }
    try (DatabaseServer server =
        kind == ServerKind.MYSQL
            ? MySqlServer.start()
            : MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7")) {
      compare(kind, server.newDatabase("conditions"));
    }
  }

  private void compare(ServerKind kind, String url) throws Exception {
    long seed = Long.getLong("txwatch.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    Settings settings =
        Settings.ofUrlProperties(
            properties(
                Map.of(
                    "txwatch.versions", kind == ServerKind.H2 ? "triggers" : "log",
                    "txwatch.log-user", "reader",
                    "txwatch.log-password", "secret")));
    int decided = 0;
    int rows = 0;
    try (Connection admin = DriverManager.getConnection(url);
        Statement statement = admin.createStatement()) {
      statement.execute(table(kind));
      if (kind != ServerKind.H2) {
        statement.execute("CREATE USER reader@'%' IDENTIFIED BY 'secret'");
        statement.execute("GRANT ALL ON *.* TO reader@'%'");
      }
      try (Connection real = DriverManager.getConnection(url);
          Connection watched =
              Watch.connection(
                  real, url, "", () -> DriverManager.getConnection(url), settings, pipeline);
          Statement watches = watched.createStatement()) {
        for (int id = 1; id <= ROWS; id++) {
          watches.execute(row(id, random));
        }
        Awaitility.await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> of(Event.Changed.class).size() == ROWS);
        for (int i = 0; i < CONDITIONS; i++) {
          String condition = condition(random, 3);
          Set<Integer> chosen = chosen(watched, condition, random);
          if (chosen == null) {
            continue; // the DBMS refuses it
          }
          List<Event.ValuesObserved> queries = of(Event.ValuesObserved.class);
          List<RowChoice> choices = queries.get(queries.size() - 1).choices();
          if (choices.isEmpty()) { // the row was found by its key
            assertThat(condition).contains("id");
            continue;
          }
          for (Event.Changed changed : of(Event.Changed.class)) {
            RowChange change = changed.changes().get(0);
            int id = ((Number) change.plainAfter()[0]).intValue();
            int value =
                ConditionValue.of(
                    choices.get(0).condition(),
                    change.columns(),
                    change.plainAfter(),
                    choices.get(0).constants());
            int possible =
                chosen.contains(id)
                    ? value & ConditionValue.TRUE
                    : value & (ConditionValue.FALSE | ConditionValue.NULL);
            assertThat(possible)
                .as(
                    "%s, seed %d: %s of row %s is not %s",
                    kind,
                    seed,
                    condition,
                    Arrays.toString(change.plainAfter()),
                    chosen.contains(id))
                .isNotZero();
            boolean isDecided = value == ConditionValue.TRUE || (value & ConditionValue.TRUE) == 0;
            decided += isDecided ? 1 : 0;
            rows++;
          }
        }
      }
    }
    assertThat(rows).isGreaterThan(ROWS * CONDITIONS / 3);
    assertThat(decided).as("of %d, seed %d", rows, seed).isGreaterThan(rows / 2);
  }

  private static Properties properties(Map<String, String> settings) {
    Properties properties = new Properties();
    properties.putAll(settings);
    return properties;
  }

  /** The ids of the rows that the DBMS chooses; null if it does not execute the query. */
  private static @Nullable Set<Integer> chosen(Connection watched, String condition, Random random)
      throws SQLException {
    List<String> literals = new ArrayList<>();
    String sql = "SELECT id FROM v WHERE " + condition;
    String text = random.nextBoolean() ? withParameters(sql, literals) : sql;
    try (PreparedStatement statement = watched.prepareStatement(text)) {
      for (int i = 0; i < literals.size(); i++) {
        String literal = literals.get(i);
        if (literal.startsWith("'")) {
          statement.setString(i + 1, literal.substring(1, literal.length() - 1));
        } else {
          statement.setInt(i + 1, Integer.parseInt(literal));
        }
      }
      Set<Integer> ids = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getInt(1));
        }
      }
      return ids;
    } catch (SQLException e) {
      return null;
    }
  }

  private static final Pattern LITERAL = Pattern.compile("'[^']*'|(?<![\\w.'-])\\d+(?![\\w.'-])");

  private static String withParameters(String sql, List<String> literals) {
    return LITERAL
        .matcher(sql)
        .replaceAll(
            literal -> {
              literals.add(literal.group());
              return "?";
            });
  }

  // ---------------------------------------------------------------- rows

  private static String table(ServerKind kind) {
    String exact =
        switch (kind) {
          case MYSQL, MARIADB -> " COLLATE utf8mb4_bin";
          default -> "";
        };
    String inexact =
        switch (kind) {
          case MYSQL -> " COLLATE utf8mb4_sv_0900_ai_ci";
          case MARIADB -> " COLLATE utf8mb4_swedish_ci";
          default -> "_IGNORECASE";
        };
    return "CREATE TABLE v (id INT PRIMARY KEY, ti TINYINT, n INT, b BIGINT, d DECIMAL(10, 2),"
        + " t VARCHAR(20)"
        + (kind == ServerKind.H2 ? "" : " COLLATE utf8mb4_unicode_ci")
        + ", tb VARCHAR(20)"
        + exact
        + ", tc VARCHAR"
        + (kind == ServerKind.H2 ? inexact + "(20)" : "(20)" + inexact)
        + ", c CHAR(6), e ENUM('a', 'b', 'ab'), f BOOLEAN, dt DATE, ts "
        + (kind == ServerKind.H2 ? "TIMESTAMP" : "DATETIME")
        + ", r DOUBLE)";
  }

  private static final List<String> NUMBERS =
      List.of("0", "1", "2", "3", "7", "-1", "-2", "100", "NULL");
  private static final List<String> DECIMALS =
      List.of("0", "1", "1.5", "1.50", "2.00", "-0.25", "99.99", "NULL");
  private static final List<String> TEXTS =
      List.of(
          "'a'", "'A'", "'b'", "'b '", "'ab'", "'a b'", "'a-b'", "'AB'", "''", "' '", "'v'", "'w'",
          "'W'", "'y'", "'i'", "'ä'", "'ss'", "'ß'", "'7'", "'07'", "'true'", "'null'", "NULL");
  private static final List<String> LABELS = List.of("'a'", "'b'", "'ab'", "NULL");
  private static final List<String> DATES =
      List.of("'2024-02-29'", "'2024-03-01'", "'1999-12-31'", "NULL");
  private static final List<String> TIMES =
      List.of("'2024-02-29 00:00:00'", "'2024-02-29 12:30:01'", "'1999-12-31 23:59:59'", "NULL");
  private static final List<String> TRUTHS = List.of("TRUE", "FALSE", "NULL");

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static String row(int id, Random random) {
    return "INSERT INTO v VALUES ("
        + String.join(
            ", ",
            Integer.toString(id),
            one(NUMBERS, random),
            one(NUMBERS, random),
            one(NUMBERS, random),
            one(DECIMALS, random),
            one(TEXTS, random),
            one(TEXTS, random),
            one(TEXTS, random),
            one(TEXTS, random),
            one(LABELS, random),
            one(TRUTHS, random),
            one(DATES, random),
            one(TIMES, random),
            one(DECIMALS, random))
        + ")";
  }

  // ---------------------------------------------------------------- conditions

  private static final List<String> COMPARISONS = List.of("=", "<>", "!=", "<", "<=", ">", ">=");

  private static String condition(Random random, int depth) {
    int choice = random.nextInt(depth > 0 ? 10 : 7);
    String column = one(List.copyOf(new TreeSet<>(VALUES.keySet())), random);
    List<String> values =
        random.nextInt(8) == 0 ? one(OTHERS, random) : VALUES.getOrDefault(column, NUMBERS);
    return switch (choice) {
      case 0 -> column + " IS " + (random.nextBoolean() ? "NOT NULL" : "NULL");
      case 1 ->
          column
              + (random.nextBoolean() ? " NOT" : "")
              + " IN ("
              + String.join(", ", one(values, random), one(values, random), one(values, random))
              + ")";
      case 2 ->
          column
              + (random.nextBoolean() ? " NOT" : "")
              + " BETWEEN "
              + one(values, random)
              + " AND "
              + one(values, random);
      case 3 -> "n % " + random.nextInt(4) + " = " + one(NUMBERS, random);
      case 4, 5 -> column + " " + one(COMPARISONS, random) + " " + one(values, random);
      case 6 -> one(values, random) + " " + one(COMPARISONS, random) + " v." + column;
      case 7 -> "NOT (" + condition(random, depth - 1) + ")";
      default ->
          "("
              + String.join(
                  random.nextBoolean() ? " AND " : " OR ",
                  IntStream.range(0, 2 + random.nextInt(2))
                      .mapToObj(i -> condition(random, depth - 1))
                      .toList())
              + ")";
    };
  }

  private static final Map<String, List<String>> VALUES =
      Map.ofEntries(
          Map.entry("id", List.of("1", "5", "30", "59", "60", "61")),
          Map.entry("ti", NUMBERS),
          Map.entry("n", NUMBERS),
          Map.entry("b", NUMBERS),
          Map.entry("d", DECIMALS),
          Map.entry("t", TEXTS),
          Map.entry("tb", TEXTS),
          Map.entry("tc", TEXTS),
          Map.entry("c", TEXTS),
          Map.entry("e", LABELS),
          Map.entry("f", List.of("TRUE", "FALSE", "0", "1")),
          Map.entry("dt", DATES),
          Map.entry("ts", TIMES),
          Map.entry("r", DECIMALS));

  private static final List<List<String>> OTHERS = List.of(NUMBERS, DECIMALS, TEXTS, DATES, TRUTHS);
}
