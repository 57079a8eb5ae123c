package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of {@code docs/junit.md} fails as it should, with what its users have. */
class JUnitExtensionIT {

  private static final Path PAGE = Path.of("..", "docs", "junit.md");

  private static final String LAUNCHER =
      """
      import org.junit.platform.engine.discovery.DiscoverySelectors;
      import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
      import org.junit.platform.launcher.core.LauncherFactory;
      import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

      public class Launch {
        public static void main(String[] tests) {
          SummaryGeneratingListener summary = new SummaryGeneratingListener();
          LauncherFactory.create().execute(
              LauncherDiscoveryRequestBuilder.request()
                  .selectors(DiscoverySelectors.selectClass("BookingTest")).build(),
              summary);
          summary.getSummary().getFailures().forEach(f -> System.out.println(f.getException()));
          System.out.println("failed: " + summary.getSummary().getTestsFailedCount());
        }
      }
      """;

  @Test
  void exampleFailsWithTheLinesThatRace(@TempDir Path folder) throws Exception {
    Path test = Files.writeString(folder.resolve("BookingTest.java"), example());
    Path launcher = Files.writeString(folder.resolve("Launch.java"), LAUNCHER);
    String libraries = libraries();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                libraries,
                test.toString(),
                launcher.toString());
    assertThat(compiled).isZero();
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");

    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                folder + File.pathSeparator + libraries,
                "Launch")
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();

    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(err)).doesNotContain("Exception");
    assertThat(Files.readString(out))
        .contains("LOST_UPDATE (G-single)  HAZARD", "BookingTest.java:", "FOR UPDATE")
        .endsWith("failed: 1\n");
  }

  private static String example() throws Exception {
    Matcher code = Pattern.compile("(?s)```java\n(.*?)```").matcher(Files.readString(PAGE));
    assertThat(code.find()).isTrue();
    return code.group(1);
  }

  /** JUnit, H2, the extension and the jar, without the modules that the jar is made of. */
  private static String libraries() throws URISyntaxException {
    Path extension =
        Path.of(
            io.txwatch.junit.WatchTransactions.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    List<String> names = List.of("junit-", "opentest4j", "apiguardian", "h2-");
    return Stream.concat(
            Stream.of(JarRun.JAR.toString(), extension.toString()),
            Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> names.stream().anyMatch(new File(entry).getName()::startsWith)))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
