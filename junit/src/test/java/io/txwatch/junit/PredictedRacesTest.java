package io.txwatch.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.zaxxer.hikari.HikariDataSource;
import io.txwatch.interleave.Interleaver;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.testkit.engine.EngineTestKit;
import shop.OneClientTests;

/** Races are predicted from tests with one client, as tests of the application's methods. */
class PredictedRacesTest {

  @TempDir private Path output = Path.of("");

  @AfterEach
  void forget() {
    SuiteOperations.INSTANCE.clear();
  }

  private Path file() {
    return output.resolve("txwatch").resolve("PredictedRaces.java");
  }

  /** Runs the tests, which pass; returns the lines that txwatch prints about predictions. */
  private List<String> run(Map<String, String> parameters, Class<?>... tests) {
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      LauncherFactory.create()
          .execute(
              LauncherDiscoveryRequestBuilder.request()
                  .selectors(Arrays.stream(tests).map(one -> selectClass(one)).toList())
                  .configurationParameters(parameters)
                  .configurationParameter("junit.platform.reporting.output.dir", output.toString())
                  .build(),
              summary);
    } finally {
      System.setErr(before);
    }
    assertThat(summary.getSummary().getFailures()).isEmpty();
    assertThat(summary.getSummary().getTestsSucceededCount()).isPositive();
    return printed
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains(" race"))
        .toList();
  }

  @Test
  void pairsOfAllTestClassesAreWrittenAsTests() throws Exception {
    List<String> printed =
        run(Map.of(), OneClientTests.Selling.class, OneClientTests.Restocking.class);

    assertThat(printed).containsExactly("txwatch: 2 pairs of operations may race: see " + file());
    String text = Files.readString(file(), StandardCharsets.US_ASCII);
    assertThat(text)
        .contains(
            "// Stock.sell and Stock.sell:",
            "// - lost update at READ_COMMITTED of H2",
            "A reads:  SELECT \"gr\\u00f6\\u00dfe\" FROM stock WHERE id = ? (Stock.java:",
            "// Each begins at Stock.read (Stock.java:",
            "by OneClientTests.Selling.sells, which is () -> sells() in its class",
            "if equal: STOCK.id of A and of B\n",
            "void sellTwice(Interleaving run) {",
            "void sellAndRestock(Interleaving run) {");
    assertThat(outcome(compiled("PredictedRaces", text))).containsOnly("UNDECIDED");
    String filledIn =
        text.replaceAll(
                "throw new UnsupportedOperationException\\(\"call Stock.(.*)\"\\)", "stock.$1(1)")
            .replace("class PredictedRaces", "class Proven extends shop.OneClientTests.OpenShop");
    assertThat(outcome(compiled("Proven", filledIn))).containsOnly("RACE").hasSize(2);
  }

  private Class<?> compiled(String name, String text) throws Exception {
    Path source = output.resolve(name + ".java");
    Files.writeString(source, text);
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-encoding",
                "US-ASCII",
                "-cp",
                classPath(),
                "-d",
                output.toString(),
                source.toString());
    assertThat(result).isZero();
    return new URLClassLoader(new URL[] {output.toUri().toURL()}, getClass().getClassLoader())
        .loadClass(name);
  }

  /** What an application's tests are compiled with. */
  private static String classPath() {
    return Stream.of(
            InterleaveTest.class,
            Interleaver.class,
            OneClientTests.class,
            Test.class,
            HikariDataSource.class)
        .map(type -> type.getProtectionDomain().getCodeSource().getLocation().toString())
        .map(location -> Path.of(URI.create(location)).toString())
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The first word of each test's failure. */
  private List<String> outcome(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(tests))
        .configurationParameter(InterleaveExtension.FOLDER, output.toString())
        .execute()
        .testEvents()
        .failed()
        .stream()
        .map(
            event ->
                event
                    .getRequiredPayload(TestExecutionResult.class)
                    .getThrowable()
                    .map(Throwable::getMessage)
                    .map(message -> message.replaceAll("(?s)\\W.*", ""))
                    .orElse(""))
        .toList();
  }

  @Test
  void testsThatRunAtTheSameTimeArePredictedByConfiguration() throws Exception {
    List<String> printed =
        run(
            Map.of(
                "junit.jupiter.extensions.autodetection.enabled",
                "true",
                TxWatchExtension.PREDICT_ALL_TESTS,
                "true",
                "junit.jupiter.execution.parallel.enabled",
                "true",
                "junit.jupiter.execution.parallel.mode.default",
                "concurrent",
                "junit.jupiter.execution.parallel.config.strategy",
                "fixed",
                "junit.jupiter.execution.parallel.config.fixed.parallelism",
                "4"),
            OneClientTests.Plain.class);

    assertThat(printed).containsExactly("txwatch: 2 pairs of operations may race: see " + file());
    assertThat(Files.readString(file()))
        .contains("// Stock.sell and Stock.sell:", "// Stock.sell and Stock.restock:")
        .doesNotContain(
            "executed by OneClientTests.Plain.restocks, which is () -> restocks() in its class\n  //     executed by");
  }

  @Test
  void testsWithoutPredictWriteNothing() {
    assertThat(run(Map.of(), OneClientTests.NotPredicted.class)).isEmpty();
    assertThat(run(Map.of(), OneClientTests.WithoutDatabase.class)).isEmpty();
    assertThat(file()).doesNotExist();
  }

  /** A file of an earlier run would contradict the one that found nothing. */
  @Test
  void runWithoutPairsRemovesTheFile() {
    assertThat(run(Map.of(), OneClientTests.Selling.class)).hasSize(1);
    assertThat(file()).exists();
    SuiteOperations.INSTANCE.clear();
    assertThat(run(Map.of(), OneClientTests.Reading.class)).isEmpty();
    assertThat(file()).doesNotExist();
  }

  @Test
  void suiteThatRollsEverythingBackIsExplained() {
    assertThat(run(Map.of(), OneClientTests.RollingBack.class))
        .singleElement()
        .asString()
        .contains("1 transactions were rolled back");
  }

  @Test
  void fileThatCannotBeWrittenIsNamedAndFailsNothing() throws Exception {
    Files.writeString(output.resolve("txwatch"), "no folder");
    assertThat(run(Map.of(), OneClientTests.Selling.class))
        .singleElement()
        .asString()
        .contains("1 pair of operations may race, but no file can be written: ");
  }
}
