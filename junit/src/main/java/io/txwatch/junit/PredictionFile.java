package io.txwatch.junit;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Java file with predicted races, in the folder of the build's outputs. Several JVMs that run
 * tests at the same time write one each: {@code PredictedRaces.java}, {@code PredictedRaces2.java}.
 */
final class PredictionFile {

  private static final String NAME = "PredictedRaces";
  private static final Pattern FILE = Pattern.compile(NAME + "\\d*\\.java");
  private static final int MAX_FILES = 1_000;

  private final Path folder;
  private @Nullable Path own;

  PredictionFile(Path folder) {
    this.folder = folder;
  }

  /** Removes what earlier runs, or this one, have written. */
  void clear() throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    long start = ManagementFactory.getRuntimeMXBean().getStartTime();
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> FILE.matcher(file.getFileName().toString()).matches()).toList();
    }
    for (Path file : files) {
      if (file.equals(own) || Files.getLastModifiedTime(file).toMillis() < start) {
        Files.deleteIfExists(file);
      }
    }
    own = null;
  }

  /**
   * Writes it, instead of an earlier one.
   *
   * @param text the text of the class with a name
   */
  Path write(UnaryOperator<String> text) throws IOException {
    Files.createDirectories(folder);
    clear();
    for (int number = 1; number <= MAX_FILES; number++) {
      String name = number == 1 ? NAME : String.format(Locale.ROOT, "%s%d", NAME, number);
      Path file = folder.resolve(name + ".java");
      try {
        Files.writeString(file, text.apply(name), StandardOpenOption.CREATE_NEW);
        own = file;
        return file;
      } catch (FileAlreadyExistsException e) {
        // another JVM's
      }
    }
    throw new FileAlreadyExistsException(folder.toString());
  }
}
