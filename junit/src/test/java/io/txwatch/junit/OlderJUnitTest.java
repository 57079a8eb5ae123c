package io.txwatch.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The extension in a JVM with the oldest JUnit 5 that it runs with. */
class OlderJUnitTest {

  /** What the build copies there, beside the JUnit that runs this test. */
  private static final Path JUNIT_5 = Path.of("target", "junit-5");

  @Test
  void testWithARaceFailsUnderJUnit5(@TempDir Path directory) throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                JUnit5Launcher.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(output, StandardCharsets.UTF_8))
        .contains("JUnit 5.", "locking(): SUCCESSFUL", "racing(): FAILED")
        .contains("LOST_UPDATE (G-single)  HAZARD", "AccountService.java:38")
        .doesNotContain("NoSuchMethodError");
  }

  private static String classPath() throws Exception {
    List<String> others =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !new File(entry).getName().startsWith("junit-"))
            .toList();
    try (Stream<Path> older = Files.list(JUNIT_5)) {
      return Stream.concat(older.map(Path::toString), others.stream())
          .collect(Collectors.joining(File.pathSeparator));
    }
  }
}
