package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.endtoend.Watched.Afterwards;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.JdbcCallStyle;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.TestCase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every known schedule on every DBMS at every level of isolation, raw on one database and watched
 * on its twins, at every level of instrumentation: what the application sees is always the same.
 *
 * <p>The table {@code expectations.csv} lists, for each cell of {@link MatrixCell}, the anomalies
 * that the analyzer must report at {@code inline}, {@code items} and {@code predicates}, joined by
 * {@code +}; {@code =} stands for those of the previous column. Exactly these are reported as
 * proven. One with a question mark is reported as possible; further possible ones may be reported,
 * since version sets over-count (TxCheck, section 3.2). A cell whose outcome a serial order
 * explains has no proven anomaly. A cell whose outcome is explained by no serial order only because
 * of rows that a predicate did not select has none at {@code inline}: dependencies by item close no
 * cycle. An exclamation mark precedes a violation of the DBMS's promise; all others are hazards.
 *
 * <p>Each cell runs watched at each level of instrumentation, in one of the {@linkplain
 * JdbcCallStyle styles}, and raw in the styles of these; on MySQL, which takes tens of milliseconds
 * to create or drop a table, at {@code inline} and at the levels whose expectation differs. With
 * {@code -Dscenarios.styles=all} every cell runs in both styles at every level; with {@code
 * -Dscenarios.only=h1} only cells whose names begin with that text run; with {@code
 * -Dscenarios.versions=statements} rows are known so by their values, at {@code inline}, and what
 * differs from the table fails; with {@code -Dscenarios.histories=DIR} all histories are copied to
 * that directory, from which the tests of the job of Flink read them. Cells of one DBMS run one
 * after the other, those of different ones side by side.
 *
 * <p>Hermitage's scenarios also run by value, from the source that fits the DBMS, and all of them,
 * and nothing else, with {@code -Dscenarios.versions=value}. What is expected then is {@code
 * by-value.csv} where that differs: conditions find phantoms; at READ UNCOMMITTED nothing is
 * proven, since the record does not show what was never committed; a write that changes nothing is
 * in no log; and MariaDB's log does not name the writer of rows that a statement chose by another
 * condition than the key.
 *
 * <p>HSQLDB runs in each of its transaction models. It has no auxiliary columns, so it runs from
 * its statements at {@code inline} alone, in the style that needs no BEGIN, which it has not.
 */
class ScenarioTest {

  private static final boolean ALL = "all".equals(System.getProperty("scenarios.styles"));
  private static final String HISTORIES = System.getProperty("scenarios.histories", "");
  private static final String ONLY = System.getProperty("scenarios.only", "");

  /** By DBMS: where versions come from while the tables stay as they are. */
  private static final Map<String, String> BY_VALUE =
      Map.of("mysql", "log", "mariadb", "log", "h2", "triggers", "sqlite", "statements");

  private static final String VERSIONS = System.getProperty("scenarios.versions", "columns");

  /** Which scenarios run by value, too. */
  private static final String RUN_BY_VALUE = VERSIONS.equals("value") ? "" : "h";

  private static final String DBMS = System.getProperty("scenarios.dbms", "");

  /** A scenario that an application may run. */
  @FunctionalInterface
  private interface Running {
    ScenarioRun as(Watched application) throws Exception;
  }

  /** The level of instrumentation, and its JDBC style if not all are run. */
  private enum Instrumentation {
    INLINE,
    ITEMS,
    PREDICATES;

    boolean runsIn(JdbcCallStyle style, TestedDbms dbms, Expectation expected) {
      if (dbms.isByStatementOnly()) {
        return this == INLINE
            && (style == JdbcCallStyle.JDBC_CALLS
                || ALL && style == JdbcCallStyle.SQL_IN_JDBC_TRANSACTIONS);
      }
      if (VERSIONS.equals("value")) {
        return false;
      }
      if (!VERSIONS.equals("columns")) {
        return this == INLINE;
      }
      return ALL
          || (!dbms.isSlow() || this == INLINE || expected.isOfItsOwn(this))
              && style == (this == ITEMS ? JdbcCallStyle.JDBC_CALLS : JdbcCallStyle.SQL_TEXT);
    }
  }

  /** A line of the table. */
  private record Expectation(
      String scenario,
      String dbms,
      String level,
      String outcome,
      Map<Instrumentation, Set<String>> anomalies) {

    static Expectation of(List<String> cells) {
      Map<Instrumentation, Set<String>> anomalies = new EnumMap<>(Instrumentation.class);
      Set<String> before = Set.of();
      for (Instrumentation instrumentation : Instrumentation.values()) {
        String cell = cells.get(4 + instrumentation.ordinal());
        if (!cell.equals("=")) {
          before = names(cell);
        }
        anomalies.put(instrumentation, before);
      }
      return new Expectation(cells.get(0), cells.get(1), cells.get(2), cells.get(3), anomalies);
    }

    static Set<String> names(String cell) {
      return Stream.of(cell.split("\\+"))
          .filter(name -> !name.isEmpty())
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The same where rows are known by their values. */
    Expectation byValue() {
      Set<String> other = EXPECTED_BY_VALUE.get(List.of(scenario, dbms, level));
      return new Expectation(
          scenario,
          dbms,
          level,
          outcome,
          other == null ? anomalies : Map.of(Instrumentation.INLINE, other));
    }

    /** True if the expectation differs from that of the next lower level. */
    boolean isOfItsOwn(Instrumentation instrumentation) {
      Set<String> below =
          instrumentation == Instrumentation.INLINE
              ? Set.of()
              : at(Instrumentation.values()[instrumentation.ordinal() - 1]);
      return !at(instrumentation).equals(below);
    }

    private Set<String> at(Instrumentation instrumentation) {
      return Objects.requireNonNull(anomalies.get(instrumentation));
    }

    Set<String> proven(Instrumentation instrumentation) {
      return named(instrumentation, false);
    }

    Set<String> possible(Instrumentation instrumentation) {
      return named(instrumentation, true);
    }

    private Set<String> named(Instrumentation instrumentation, boolean possible) {
      return at(instrumentation).stream()
          .filter(name -> name.startsWith("?") == possible)
          .map(name -> possible ? name.substring(1) : name)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static final Map<String, TestedDbms> TESTED = new HashMap<>();

  /** A MariaDB that writes a binary log. */
  private static @Nullable MariaDbServer logging;

  /** What is expected by value, where that differs from {@code inline}. */
  private static final Map<List<String>, Set<String>> EXPECTED_BY_VALUE = new HashMap<>();

  @AfterAll
  static void dropAll() throws SQLException {
    for (TestedDbms dbms : TESTED.values()) {
      dbms.close();
    }
    TESTED.clear();
    if (logging != null) {
      logging.close();
      logging = null;
    }
  }

  @TestFactory
  Stream<DynamicTest> everyCell(@TempDir Path folder)
      throws SQLException, UnsupportedDbmsException {
    for (ServerKind kind : TestServers.kinds().toList()) {
      TestedDbms dbms = new TestedDbms(kind);
      TESTED.put(dbms.name(), dbms);
    }
    for (String model : List.of("locks", "mvlocks", "mvcc")) {
      TestedDbms dbms = TestedDbms.hsqldb(model);
      TESTED.put(dbms.name(), dbms);
    }
    TESTED.put("mariadb with a log", new TestedDbms(ServerKind.MARIADB, onMariaDbWithLog()));
    for (List<String> cells : Scenarios.table("by-value.csv")) {
      EXPECTED_BY_VALUE.put(cells.subList(0, 3), Expectation.names(cells.get(3)));
    }
    Map<TestedDbms, ExecutorService> threads = new HashMap<>();
    List<DynamicTest> tests = new ArrayList<>();
    for (List<String> cells : Scenarios.table("expectations.csv")) {
      TestedDbms dbms = TESTED.get(cells.get(1));
      Expectation expected = Expectation.of(cells);
      if (dbms != null && expected.scenario().startsWith(ONLY) && dbms.name().startsWith(DBMS)) {
        Future<?> outcome =
            threads
                .computeIfAbsent(dbms, one -> Executors.newSingleThreadExecutor())
                .submit(
                    () -> {
                      check(expected, dbms, Files.createTempDirectory(folder, "run"));
                      return true;
                    });
        tests.add(
            DynamicTest.dynamicTest(
                String.join(" ", expected.scenario(), expected.dbms(), expected.level()),
                () -> await(outcome)));
      }
    }
    threads.values().forEach(ExecutorService::shutdown);
    return tests.stream();
  }

  /** A new database of the shared MariaDB if that writes a binary log, else of one that does. */
  private static String onMariaDbWithLog() throws SQLException {
    try (Connection connection = TestServers.of(ServerKind.MARIADB).connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@log_bin")) {
      row.next();
      if (row.getBoolean(1)) {
        return TestServers.freshDatabase(ServerKind.MARIADB);
      }
    }
    logging = MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
    return logging.newDatabase("s");
  }

  private static void await(Future<?> outcome) throws Throwable {
    try {
      outcome.get();
    } catch (ExecutionException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }

  private static void check(Expectation expected, TestedDbms dbms, Path folder) throws Exception {
    TestCase scenario = Scenarios.load(expected.scenario());
    IsolationLevel level = IsolationLevel.parse(expected.level()).orElseThrow();
    for (JdbcCallStyle style : JdbcCallStyle.values()) {
      boolean byValue = isRunByValue(style, expected);
      if (!byValue
          && Stream.of(Instrumentation.values()).noneMatch(i -> i.runsIn(style, dbms, expected))) {
        continue;
      }
      ScenarioRun raw = dbms.run(scenario, level, style);
      MatrixCell cell = MatrixCell.of(scenario, raw, dbms.serialOrders().explain(scenario, raw));
      assertThat(cell.text()).as("%s", raw).isEqualTo(expected.outcome());
      for (Instrumentation instrumentation : Instrumentation.values()) {
        if (instrumentation.runsIn(style, dbms, expected)) {
          if (cell.serializable()) {
            assertThat(expected.proven(instrumentation)).isEmpty();
          }
          watched(
              expected,
              instrumentation,
              dbms.isByStatementOnly() ? "statements" : VERSIONS,
              application -> dbms.run(scenario, level, style, application),
              raw,
              Files.createDirectory(folder.resolve(style + "-" + instrumentation)));
        }
      }
      if (byValue) {
        runByValue(expected, scenario, raw, cell, folder.resolve("by-value"));
      }
    }
  }

  private static boolean isRunByValue(JdbcCallStyle style, Expectation expected) {
    return style == JdbcCallStyle.SQL_TEXT
        && expected.scenario().startsWith(RUN_BY_VALUE)
        && BY_VALUE.containsKey(expected.dbms());
  }

  private static void runByValue(
      Expectation expected, TestCase scenario, ScenarioRun raw, MatrixCell cell, Path folder)
      throws Exception {
    String versions = Objects.requireNonNull(BY_VALUE.get(expected.dbms()));
    if (cell.serializable()) {
      assertThat(expected.byValue().proven(Instrumentation.INLINE)).isEmpty();
    }
    String place = expected.dbms().equals("mariadb") ? "mariadb with a log" : expected.dbms();
    TestedDbms dbms = Objects.requireNonNull(TESTED.get(place));
    IsolationLevel level = IsolationLevel.parse(expected.level()).orElseThrow();
    watched(
        expected.byValue(),
        Instrumentation.INLINE,
        versions,
        application -> dbms.run(scenario, level, JdbcCallStyle.SQL_TEXT, application),
        raw,
        Files.createDirectories(folder));
  }

  private static void watched(
      Expectation expected,
      Instrumentation instrumentation,
      String versions,
      Running running,
      ScenarioRun raw,
      Path folder)
      throws Exception {
    String level = instrumentation.name().toLowerCase(Locale.ROOT);
    Watched watched =
        new Watched(folder, Map.of("txwatch.instrument", level, "txwatch.versions", versions));
    ScenarioRun run;
    try (watched) {
      run = running.as(watched);
    }
    if (!HISTORIES.isEmpty()) {
      watched.copyHistory(Files.createTempFile(Path.of(HISTORIES), "", ".txw"));
    }
    boolean blocking = !raw.brokeDeadlock();
    assertThat(run.describe(blocking)).as(level).isEqualTo(raw.describe(blocking));

    List<ReportedAnomaly> reported = watched.reported();
    Afterwards afterwards = watched.analysedAfterwards();
    String story =
        level + " " + versions + "\n" + raw + "\n" + reported + "\n" + afterwards.coverage();
    Set<String> proven = names(reported, false);
    if (proven.remove("!DEADLOCK") || names(reported, true).contains("!DEADLOCK")) {
      assertThat(raw.brokeDeadlock()).as(story).isTrue(); // the table lists anomalies of isolation
    }
    assertThat(proven).as(story).isEqualTo(expected.proven(instrumentation));
    assertThat(names(reported, true)).as(story).containsAll(expected.possible(instrumentation));
    if (versions.equals("columns") || !expected.proven(instrumentation).contains("PHANTOM")) {
      assertThat(afterwards.anomalies()).isEqualTo(reported); // a history has no plain values
    }
  }

  private static Set<String> names(List<ReportedAnomaly> reported, boolean possible) {
    return reported.stream()
        .filter(anomaly -> anomaly.possible() == possible)
        .map(anomaly -> (anomaly.verdict().equals("HAZARD") ? "" : "!") + anomaly.phenomenon())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
