package io.txwatch.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What differs between DBMSs is in the package of dialects: nothing else compares a dialect. */
class DialectComparisonTest {

  private static final Path SOURCES = Path.of("src/main/java/io/txwatch");

  private static final Pattern COMPARISON =
      Pattern.compile(
          "[!=]=\\s*Dialect\\.[A-Z]|Dialect\\.[A-Z]\\w*\\s*[!=]=|equals\\(Dialect\\."
              + "|switch \\((?:\\w+(?:\\(\\))?\\.)*dialect(?:\\(\\))?\\)");

  @Test
  void nothingOutsideOfThePackageComparesDialects() {
    assertThat(comparing(SOURCES)).isEmpty();
  }

  @Test
  void comparisonsAreFound() {
    assertThat(
            List.of(
                "if (dialect == Dialect.H2) {",
                "return draft.dialect != Dialect.MYSQL;",
                "switch (reader.dialect()) {",
                "return switch (dialect) {"))
        .allMatch(line -> COMPARISON.matcher(line).find());
  }

  private static List<String> comparing(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> COMPARISON.matcher(read(file)).find())
          .map(file -> file.getFileName().toString().replace(".java", ""))
          .collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
