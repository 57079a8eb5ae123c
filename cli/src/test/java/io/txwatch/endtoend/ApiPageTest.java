package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.FoundAnomaly;
import io.txwatch.TxWatch;
import io.txwatch.TxWatchReport;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of {@code docs/api.md} is compiled and run as the page prints it. */
class ApiPageTest {

  private static final Path PAGE = Path.of("..", "docs", "api.md");
  private static final int MAX_LINES_OF_CODE = 60;

  @Test
  void exampleRuns(@TempDir Path folder) throws Throwable {
    run(example(), folder);

    TxWatchReport report = TxWatch.report();
    FoundAnomaly lostUpdate =
        report.anomalies().stream()
            .filter(found -> found.phenomenon() == Phenomenon.LOST_UPDATE)
            .filter(found -> found.toString().contains("WithdrawalTest.java"))
            .findFirst()
            .orElseThrow();
    assertThat(lostUpdate.count()).isEqualTo(1);
    assertThat(lostUpdate.cycleClass()).contains("G-single");
    assertThat(lostUpdate.verdict()).isEqualTo(Verdict.HAZARD);
    assertThat(lostUpdate.confidence()).isEqualTo(Confidence.CONFIRMED);
    assertThat(lostUpdate.dbms()).startsWith("H2 ");
    assertThat(lostUpdate.isolation()).isEqualTo(IsolationLevel.READ_COMMITTED);
    assertThat(lostUpdate.transactions())
        .hasSize(2)
        .allMatch(transaction -> transaction.outcome().orElseThrow() == Outcome.COMMITTED)
        .allMatch(transaction -> !transaction.statements().isEmpty());
    assertThat(lostUpdate.callSites())
        .isNotEmpty()
        .allMatch(site -> site.startsWith("WithdrawalTest.java:"));
    assertThat(lostUpdate.rows())
        .singleElement()
        .satisfies(row -> assertThat(row.table()).isEqualToIgnoringCase("account"));
    assertThat(lostUpdate.advice()).contains("FOR UPDATE");
    assertThat(lostUpdate.explanation()).hasSize(lostUpdate.cycle().size());
    assertThat(report.coverage().committed()).isGreaterThanOrEqualTo(4);
  }

  @Test
  void exampleIsShort() throws Exception {
    assertThat(example().lines()).hasSizeLessThan(MAX_LINES_OF_CODE);
  }

  private static String example() throws Exception {
    Matcher block =
        Pattern.compile("^```java\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    assertThat(block.find()).as("a block of Java in %s", PAGE).isTrue();
    return block.group(1);
  }

  /** Compiles a test class and calls its test method, the only method that is not private. */
  private static void run(String source, Path folder) throws Throwable {
    Path file = Files.writeString(folder.resolve("WithdrawalTest.java"), source);
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                file.toString());
    assertThat(code).as("the example compiles").isZero();
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {folder.toUri().toURL()}, ApiPageTest.class.getClassLoader())) {
      Class<?> example = loader.loadClass("WithdrawalTest");
      Method test = example.getDeclaredMethod("concurrentWithdrawalsLoseAnUpdate");
      var constructor = example.getDeclaredConstructor();
      constructor.setAccessible(true);
      test.setAccessible(true);
      try {
        test.invoke(constructor.newInstance());
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }
}
