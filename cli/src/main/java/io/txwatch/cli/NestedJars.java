package io.txwatch.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The jars nested in {@code txwatch.jar}. They are unpacked into a temporary directory, which is
 * removed when the JVM exits.
 */
final class NestedJars {

  private NestedJars() {}

  /** The {@code txwatch.jar} that this class was loaded from; empty if it was not. */
  static Optional<Path> jar() {
    try {
      Path place =
          Path.of(NestedJars.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Files.isRegularFile(place) ? Optional.of(place) : Optional.empty();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Unpacks the jars of a folder; none if this class was not loaded from {@code txwatch.jar}.
   *
   * @param folder {@code drivers} or {@code demo}
   * @param wanted selects jars by name, without {@code .jar}
   */
  static List<Path> unpack(String folder, Predicate<String> wanted) {
    Optional<Path> jar = jar();
    if (jar.isEmpty()) {
      return List.of();
    }
    String prefix = "nested/" + folder + "/";
    try (JarFile file = new JarFile(jar.get().toFile())) {
      List<Path> unpacked = new ArrayList<>();
      for (JarEntry entry : file.stream().toList()) {
        String name = entry.getName();
        if (name.startsWith(prefix)
            && name.endsWith(".jar")
            && wanted.test(name.substring(prefix.length(), name.length() - ".jar".length()))) {
          if (unpacked.isEmpty()) {
            unpacked.add(temporaryDirectory());
          }
          Path target = unpacked.get(0).resolve(name.substring(prefix.length()));
          try (InputStream in = file.getInputStream(entry)) {
            Files.copy(in, target);
          }
          unpacked.add(target);
        }
      }
      return unpacked.isEmpty() ? unpacked : unpacked.subList(1, unpacked.size());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack what lies in " + jar.get(), e);
    }
  }

  /** Creates a directory that is removed, with its content, when the JVM exits. */
  static Path temporaryDirectory() throws IOException {
    Path directory = Files.createTempDirectory("txwatch");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory)));
    return directory;
  }

  private static void remove(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // Left to the system's clean-up of temporary directories.
    }
  }
}
