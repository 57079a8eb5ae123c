package io.txwatch.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.txwatch.junit.InterleaveExtension;
import io.txwatch.junit.WatchTransactions;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/**
 * The races of the services are found without pauses and without threads of the test's own, and
 * their corrected versions are safe.
 */
@ResourceLock(WatchTransactions.LOCK)
class EveryOrderTest {

  /** What each race's report names; other tests pass. */
  private static final Map<String, String> RACES =
      Map.of(
          "withdraw", "LOST_UPDATE",
          "book", "LOST_UPDATE",
          "signOff", "WRITE_SKEW",
          "total", "READ_SKEW");

  /** With the log that versions of rows are read from. */
  @BeforeAll
  static void startMariaDb() {
    TestServers.startBy(
        ServerKind.MARIADB, () -> MariaDbServer.start("--log-bin", "--binlog-format=ROW"));
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void racesAreFoundAndCorrectionsAreSafe(ServerKind kind, @TempDir Path folder) {
    RacesInEveryOrder.use(kind);
    Map<String, String> outcomes = run(folder);
    assertThat(outcomes).hasSize(2 * RACES.size());
    SoftAssertions all = new SoftAssertions();
    outcomes.forEach(
        (test, outcome) -> {
          String phenomenon = RACES.get(test);
          if (phenomenon == null) {
            all.assertThat(outcome).as(test).isEmpty();
          } else {
            all.assertThat(outcome).as(test).startsWith("RACE: ");
            all.assertThat(outcome).as(test).contains("\n\n" + phenomenon + " (", "Service.java:");
          }
        });
    all.assertAll();
  }

  /** The message of each test's failure, by the test's name; empty if it passed. */
  private static Map<String, String> run(Path folder) {
    Map<String, String> outcomes = new TreeMap<>();
    var results =
        EngineTestKit.engine("junit-jupiter")
            .configurationParameter(InterleaveExtension.FOLDER, folder.toString())
            .selectors(selectClass(RacesInEveryOrder.class))
            .execute();
    results.testEvents().succeeded().stream().forEach(event -> outcomes.put(test(event), ""));
    results.testEvents().failed().stream()
        .forEach(
            event ->
                outcomes.put(
                    test(event),
                    event
                        .getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .map(Throwable::getMessage)
                        .orElse("no message")));
    return outcomes;
  }

  private static String test(Event event) {
    return event
        .getTestDescriptor()
        .getParent()
        .orElseThrow()
        .getDisplayName()
        .replaceFirst("\\(.*", "");
  }
}
