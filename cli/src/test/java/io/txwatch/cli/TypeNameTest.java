package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each top-level type of the modules has a simple name of its own: one name, one meaning. */
class TypeNameTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** What is not a type, and stands in many packages. */
  private static final List<String> NO_TYPES = List.of("package-info.java", "module-info.java");

  @Test
  void noTwoTopLevelTypesHaveOneName() throws IOException {
    Map<String, List<Path>> byName = new TreeMap<>();
    for (Path module : modules()) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java/io/txwatch"))) {
        files
            .filter(TypeNameTest::isType)
            .map(ROOT::relativize)
            .forEach(
                file ->
                    byName
                        .computeIfAbsent(file.getFileName().toString(), name -> new ArrayList<>())
                        .add(file));
      }
    }
    assertThat(byName).hasSizeGreaterThan(500);
    byName.values().removeIf(paths -> paths.size() == 1);
    assertThat(byName).isEmpty();
  }

  private static boolean isType(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".java") && !NO_TYPES.contains(name);
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> directories = Files.list(ROOT)) {
      return directories
          .filter(path -> Files.isDirectory(path.resolve("src/main/java/io/txwatch")))
          .sorted()
          .toList();
    }
  }
}
