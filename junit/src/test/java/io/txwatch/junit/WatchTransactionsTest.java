package io.txwatch.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.OutputDirectoryCreator;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import shop.WatchedTests;

/** Tests of an application fail where its transactions race, and pass where they do not. */
class WatchTransactionsTest {

  private static final String PASSED = "passed";

  /** The first line of the message of each test's failure, by the test's name. */
  private static Map<String, String> run(Class<?> tests, Map<String, String> parameters) {
    return outcomes(
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(tests))
            .configurationParameters(parameters)
            .execute());
  }

  private static Map<String, String> outcomes(EngineExecutionResults results) {
    Map<String, String> outcomes = new TreeMap<>();
    results.testEvents().succeeded().stream().forEach(event -> outcomes.put(name(event), PASSED));
    results.testEvents().failed().stream()
        .forEach(event -> outcomes.put(name(event), message(event)));
    return outcomes;
  }

  private static String name(Event event) {
    return event.getTestDescriptor().getDisplayName().replace("()", "");
  }

  private static String message(Event event) {
    return event
        .getRequiredPayload(TestExecutionResult.class)
        .getThrowable()
        .map(Throwable::getMessage)
        .orElse("");
  }

  /** Attachments of all tests in one directory. */
  private record OneDirectory(Path directory) implements OutputDirectoryCreator {
    @Override
    public Path getRootDirectory() {
      return directory;
    }

    @Override
    public Path createOutputDirectory(TestDescriptor test) {
      return directory;
    }
  }

  @Test
  void testWithARaceFailsWithTheLinesOfTheApplication() {
    Map<String, String> outcomes = run(WatchedTests.OfAClass.class, Map.of());
    assertThat(outcomes.get("locking")).isEqualTo(PASSED);
    assertThat(outcomes.get("racing"))
        .startsWith("transactions of this test are not isolated\n\nLOST_UPDATE (G-single)  HAZARD")
        .contains("AccountService.java:47", "AccountService.java:38", "Lock the read at");
  }

  @Test
  void annotatedMethodsAloneAreWatchedAsTheyDemand() {
    Map<String, String> outcomes = run(WatchedTests.OfMethods.class, Map.of());
    assertThat(outcomes.get("racing")).contains("LOST_UPDATE");
    assertThat(outcomes.get("withoutDatabase"))
        .startsWith("txwatch: no statement of a watched connection was executed");
    assertThat(outcomes)
        .containsEntry("notWatched", PASSED)
        .containsEntry("racingWherePermitted", PASSED)
        .containsEntry("racingWhereIgnored", PASSED)
        .containsEntry("withoutDatabaseOnPurpose", PASSED);
  }

  @Test
  void allTestsAreWatchedByConfiguration() {
    Map<String, String> all =
        Map.of(
            "junit.jupiter.extensions.autodetection.enabled",
            "true",
            TxWatchExtension.ALL_TESTS,
            "hazard");
    Map<String, String> outcomes = run(WatchedTests.Plain.class, all);
    assertThat(outcomes.get("racing")).contains("LOST_UPDATE");
    assertThat(outcomes).containsEntry("locking", PASSED);
  }

  @Test
  void acceptedKindsFailNoTest(@TempDir Path folder) throws IOException {
    String message =
        Objects.requireNonNull(run(WatchedTests.OfAClass.class, Map.of()).get("racing"));
    Matcher id = Pattern.compile("(?m)^  id +(\\S+)$").matcher(message);
    assertThat(id.find()).isTrue();
    Path baseline = folder.resolve("baseline.yaml");
    String entry = "accepted:\n- id: %s\n  reason: one clerk\n  until: %s\n";
    System.setProperty("txwatch.baseline", baseline.toString());
    try {
      Files.writeString(baseline, entry.formatted(id.group(1), "2999-01-01"));
      assertThat(run(WatchedTests.OfAClass.class, Map.of())).containsEntry("racing", PASSED);
      Files.writeString(
          baseline, entry.formatted(id.group(1).substring(0, 9) + "0000", "2999-01-01"));
      assertThat(run(WatchedTests.OfAClass.class, Map.of())).containsEntry("racing", PASSED);
      Files.writeString(baseline, entry.formatted(id.group(1), "2020-01-01"));
      assertThat(run(WatchedTests.OfAClass.class, Map.of()).get("racing")).contains("LOST_UPDATE");
      Files.writeString(baseline, "accepted:\n- id: x\n");
      assertThat(run(WatchedTests.OfAClass.class, Map.of()).get("racing"))
          .startsWith("txwatch: " + baseline + ":2: 'x' is no id");
    } finally {
      System.clearProperty("txwatch.baseline");
    }
  }

  @Test
  void testsThatCouldRunAtTheSameTimeAnswerForTheirOwnAnomalies() {
    Map<String, String> parallel =
        Map.of(
            "junit.jupiter.execution.parallel.enabled", "true",
            "junit.jupiter.execution.parallel.mode.default", "concurrent",
            "junit.jupiter.execution.parallel.config.strategy", "fixed",
            "junit.jupiter.execution.parallel.config.fixed.parallelism", "4");
    Map<String, String> outcomes = run(WatchedTests.OfAClass.class, parallel);
    assertThat(outcomes.get("racing")).contains("LOST_UPDATE");
    assertThat(outcomes).containsEntry("locking", PASSED);
  }

  @Test
  void unknownVerdictIsAnErrorThatNamesTheParameter() {
    Map<String, String> wrong =
        Map.of(
            "junit.jupiter.extensions.autodetection.enabled",
            "true",
            TxWatchExtension.ALL_TESTS,
            "warning");
    EngineExecutionResults results =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(WatchedTests.Plain.class))
            .configurationParameters(wrong)
            .execute();
    assertThat(results.containerEvents().failed().stream())
        .singleElement()
        .satisfies(
            event ->
                assertThat(message(event))
                    .isEqualTo("txwatch.junit.fail-on=warning: expected hazard or violation"));
  }

  @Test
  void reportIsAttachedToTheFailedTest(@TempDir Path output) throws Exception {
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(WatchedTests.OfAClass.class))
        .outputDirectoryCreator(new OneDirectory(output))
        .execute();
    try (Stream<Path> files = Files.walk(output)) {
      assertThat(files.filter(Files::isRegularFile))
          .singleElement()
          .satisfies(
              file -> {
                assertThat(file).hasFileName("report.html");
                assertThat(Files.readString(file))
                    .contains("LOST_UPDATE", "AccountService.java:47");
              });
    }
  }
}
