package io.txwatch.document;

import io.txwatch.history.CallSite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the source files of call sites, which name a file without its directory. A name that
 * several files have is not resolved.
 */
public final class SourceFiles {

  /** Resolves nothing: places keep the bare names of their files. */
  public static final SourceFiles NONE = new SourceFiles(Map.of());

  private static final Set<String> SKIPPED = Set.of(".git", "target", "build", "node_modules");

  private final Map<String, Optional<String>> paths;

  private SourceFiles(Map<String, Optional<String>> paths) {
    this.paths = Map.copyOf(paths);
  }

  /**
   * A line of a source file.
   *
   * @param file its path relative to the root, with slashes; its bare name if that is unknown
   * @param line from 1
   */
  public record Place(String file, int line) {}

  /** The files below a directory. */
  public static SourceFiles below(Path root) throws IOException {
    Map<String, Optional<String>> paths = new HashMap<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            Path name = directory.getFileName();
            return name != null && SKIPPED.contains(name.toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if (name.endsWith(".java") || name.endsWith(".kt") || name.endsWith(".scala")) {
              String path = root.relativize(file).toString().replace('\\', '/');
              paths.merge(name, Optional.of(path), (one, other) -> Optional.empty());
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            if (file.equals(root)) {
              throw new UncheckedIOException(e);
            }
            return FileVisitResult.CONTINUE; // what cannot be read is not found
          }
        });
    return new SourceFiles(paths);
  }

  /** The place of a call site; empty if it names no line. */
  Optional<Place> place(String callSite) {
    String place = CallSite.place(callSite);
    int colon = place.lastIndexOf(':');
    if (colon <= 0 || !place.substring(colon + 1).matches("[1-9][0-9]{0,8}")) {
      return Optional.empty();
    }
    String name = place.substring(0, colon);
    String file = paths.getOrDefault(name, Optional.empty()).orElse(name);
    return Optional.of(new Place(file, Integer.parseInt(place.substring(colon + 1))));
  }
}
