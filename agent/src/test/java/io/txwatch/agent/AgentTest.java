package io.txwatch.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.example.app.Application;
import org.example.app.AttachingApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentTest {

  private static final String NO_ANALYZER = "analyzer=none,prepare=auto";

  private final Path directory;

  AgentTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void everyConnectionIsWatchedOnceAtTheInnermostDriver() throws Exception {
    ChildJvm jvm =
        ChildJvm.withAgent(
            directory, NO_ANALYZER, "driver-manager", "hikari", "delegating", "casting", "txwatch");

    assertThat(jvm.errors()).doesNotContain("txwatch:", "Exception");
    assertThat(jvm.lines())
        .containsExactly(
            "driver-manager: WatchedConnection > JdbcConnection, 2 columns, balance 11",
            "hikari: HikariProxyConnection > WatchedConnection > JdbcConnection, 2 columns, balance"
                + " 11",
            "delegating: Proxy > WatchedConnection > JdbcConnection, 2 columns, balance 11",
            "casting: WatchedConnection > JdbcConnection, 2 columns, balance 11",
            "txwatch: WatchedConnection > JdbcConnection, 2 columns, balance 11");
    assertThat(jvm.exitCode()).isZero();
  }

  @Test
  void driversDataSourceIsWatchedAndPoolsOwnIsNot() throws Exception {
    ChildJvm jvm = ChildJvm.withAgent(directory, NO_ANALYZER, "xa", "pools-own");
    assertThat(jvm.errors()).isEmpty();
    assertThat(jvm.lines())
        .containsExactly(
            "xa: WatchedXaConnection",
            "xa: WatchedConnection > PooledJdbcConnection, 2 columns, balance 11",
            "pools-own: WatchedConnection > JdbcConnection, 2 columns, balance 11");
    assertThat(jvm.exitCode()).isZero();
  }

  @Test
  void dataSourcesThatOpenConnectionsByThemselvesAreWatched() throws Exception {
    ChildJvm jvm =
        ChildJvm.withAgent(directory, NO_ANALYZER, "h2-source", "h2-pool", "sqlite-source");
    assertThat(jvm.errors()) // the tables of SQLite get no columns
        .hasLineCount(2)
        .contains("SQLite has no invisible columns", "a database that has one connection only");
    assertThat(jvm.lines())
        .containsExactly(
            "h2-source: WatchedConnection > JdbcConnection, 2 columns, balance 11",
            "h2-pool: WatchedConnection > PooledJdbcConnection, 2 columns, balance 11",
            "sqlite-source: WatchedConnection > JDBC4Connection, 2 columns, balance 11");
    assertThat(jvm.exitCode()).isZero();
  }

  @Test
  void driverThatCannotSeeTheClassPathIsWatched() throws Exception {
    ChildJvm jvm = ChildJvm.withAgent(directory, NO_ANALYZER, "isolated");
    assertThat(jvm.errors()).isEmpty();
    assertThat(jvm.lines())
        .containsExactly(
            "isolated: WatchedConnection > JdbcConnection, 2 columns, balance 11",
            "isolated: WatchedConnection > JdbcConnection, 2 columns, balance 11",
            "isolated: WatchedXaConnection",
            "isolated: WatchedConnection > PooledJdbcConnection, 2 columns, balance 11",
            "isolated: 90113");
  }

  @Test
  void driversErrorIsThrownUnchanged() throws Exception {
    ChildJvm jvm = ChildJvm.withAgent(directory, NO_ANALYZER, "wrong-password");
    assertThat(jvm.lines()).containsExactly("wrong-password: 28000");
    assertThat(jvm.errors()).isEmpty();
  }

  @Test
  void invalidArgumentIsReportedInOneLineAndTheApplicationRunsUnwatched() throws Exception {
    ChildJvm jvm = ChildJvm.withAgent(directory, "instrumnt=inline", "driver-manager");
    assertThat(jvm.errors().lines())
        .singleElement()
        .asString()
        .startsWith("txwatch: the application runs unwatched: ")
        .contains("instrumnt", "txwatch.instrument");
    assertThat(jvm.lines())
        .containsExactly("driver-manager: JdbcConnection, 2 columns, balance 11");
    assertThat(jvm.exitCode()).isZero();
  }

  /** Also if the word strict is the mistyped one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "strict=on,instrumnt=inline",
        "strict=on,instrument=inlin",
        "instrument,strict=on",
        "strict=yes",
        "txwatch.strickt=on"
      })
  void invalidArgumentEndsTheJvmInStrictMode(String arguments) throws Exception {
    ChildJvm jvm = ChildJvm.withAgent(directory, arguments, "driver-manager");
    assertThat(jvm.errors().lines())
        .singleElement(STRING)
        .startsWith("txwatch: it does not start, and txwatch.strict=on: ");
    assertThat(jvm.lines()).isEmpty();
    assertThat(jvm.exitCode()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"strict=on,analyzer=none", "strict=off,instrument=inlin"})
  void applicationRunsInStrictModeIfSettingsAreValidAndWithoutItAnyway(String arguments)
      throws Exception {
    ChildJvm jvm = ChildJvm.withAgent(directory, arguments, "driver-manager");
    assertThat(jvm.lines()).hasSize(1);
    assertThat(jvm.exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"analyzer=none,instrument=items", "prepair=auto"})
  void secondAgentIsReportedInOneLineAndTheFirstStays(String arguments) throws Exception {
    ChildJvm jvm =
        ChildJvm.run(
            directory,
            List.of(ChildJvm.agent(directory, NO_ANALYZER), ChildJvm.agent(directory, arguments)),
            Application.class,
            List.of("driver-manager"));
    assertThat(jvm.errors().lines())
        .singleElement(STRING)
        .startsWith("txwatch: the agent runs already.");
    assertThat(jvm.lines())
        .containsExactly(
            "driver-manager: WatchedConnection > JdbcConnection, 2 columns, balance 11");
    assertThat(jvm.exitCode()).isZero();
  }

  @Test
  void instrumentOffWatchesNoConnection() throws Exception {
    ChildJvm jvm = ChildJvm.withAgent(directory, "instrument=off", "driver-manager");
    assertThat(jvm.errors()).isEmpty();
    assertThat(jvm.lines())
        .containsExactly("driver-manager: JdbcConnection, 2 columns, balance 11");
  }

  @Test
  void connectionsOfOtherUrlsAreNotWatched() throws Exception {
    ChildJvm jvm =
        ChildJvm.withAgent(
            directory,
            NO_ANALYZER + ",exclude=mem:a,mem:s",
            "driver-manager",
            "hikari",
            "h2-source");
    assertThat(jvm.errors()).isEmpty();
    assertThat(jvm.lines())
        .containsExactly(
            "driver-manager: JdbcConnection, 2 columns, balance 11",
            "hikari: HikariProxyConnection > WatchedConnection > JdbcConnection, 2 columns, balance"
                + " 11",
            "h2-source: JdbcConnection, 2 columns, balance 11");
  }

  /** Their bytes name the methods that are watched, too. */
  @Test
  void jdksInterfacesAreLoadedAfterItHasAttachedItself() throws Exception {
    ChildJvm jvm =
        ChildJvm.run(directory, List.of(), AttachingApplication.class, List.of(NO_ANALYZER));
    assertThat(jvm.errors()).doesNotContain("LinkageError", "txwatch:");
    assertThat(jvm.lines())
        .containsExactly(
            "javax.sql.ConnectionPoolDataSource", "javax.sql.XADataSource", "WatchedConnection");
    assertThat(jvm.exitCode()).isZero();
  }

  @Test
  void descriptorIsFoundAtAnyOffset() {
    assertThat(contains("abcab", "abcab")).isTrue();
    assertThat(contains("xxabcabcab", "abcab")).isTrue();
    assertThat(contains("aabaabaac", "aabaac")).isTrue();
    assertThat(contains("abcax", "abcab")).isFalse();
    assertThat(contains("ab", "abcab")).isFalse();
  }

  private static boolean contains(String text, String wanted) {
    return DriverTransformer.contains(
        text.getBytes(StandardCharsets.US_ASCII), wanted.getBytes(StandardCharsets.US_ASCII));
  }
}
