package io.txwatch.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import shop.InterleavedTests;

/** Operations that race fail their test with the order that shows it; those that lock pass. */
@ResourceLock(WatchTransactions.LOCK)
class InterleaveExtensionTest {

  /** The message of each test's failure, by the test's name; empty if it passed. */
  private static Map<String, String> run(Class<?> tests, Path kept) {
    Map<String, String> outcomes = new TreeMap<>();
    var results =
        EngineTestKit.engine("junit-jupiter")
            .configurationParameter(InterleaveExtension.FOLDER, kept.toString())
            .selectors(selectClass(tests))
            .execute();
    results.testEvents().succeeded().stream().forEach(event -> outcomes.put(name(event), ""));
    results.testEvents().failed().stream()
        .forEach(
            event ->
                outcomes.put(
                    name(event),
                    event
                        .getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .map(Throwable::getMessage)
                        .orElse("no message")));
    return outcomes;
  }

  private static String name(Event event) {
    return event
        .getTestDescriptor()
        .getParent()
        .orElseThrow()
        .getDisplayName()
        .replaceFirst("\\(.*", "");
  }

  @Test
  void aRaceFailsAndNamesItsOrder(@TempDir Path folder) throws IOException {
    Map<String, String> outcomes = run(InterleavedTests.OfAService.class, folder);
    assertThat(outcomes.get("racing"))
        .startsWith("RACE: no order of whole operations gives")
        .contains(
            "\n  withdraw A: SELECT balance FROM account WHERE id = ?",
            "\n  withdraw B: UPDATE account SET balance = ? WHERE id = ?");
    assertThat(outcomes).containsEntry("locking", "").containsEntry("racingAsExpected", "");
    assertThat(outcomes.get("withoutDatabase"))
        .startsWith("UNDECIDED: no call of an operation has reached a watched connection");
    assertThat(outcomes.get("racing")).contains("\n\nLOST_UPDATE (G-single)  HAZARD");
    assertThat(Files.readAllLines(folder.resolve("shop.InterleavedTests$OfAService.racing.txt")))
        .contains("withdraw A: SELECT balance FROM account WHERE id = ?");
    try (var files = Files.list(folder)) {
      assertThat(files).as("schedules of races alone").hasSize(2);
    }
  }

  @Test
  void whatComesBeforeEachTestComesBeforeEachExecution(@TempDir Path folder) {
    Map<String, String> outcomes = run(InterleavedTests.WithReset.class, folder);
    assertThat(outcomes.get("racing")).startsWith("RACE");
    assertThat(outcomes).containsEntry("locking", "");
    assertThat(outcomes.get("nested")).startsWith("RACE");
  }
}
