package io.txwatch.document;

import io.txwatch.history.CallSite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the source files of call sites, which name a file without its directory. Of several files
 * with the name it is that in the directory of the method's package; without one it is not
 * resolved.
 */
public final class SourceFiles {

  /** Resolves nothing: places keep the bare names of their files. */
  public static final SourceFiles NONE = new SourceFiles(Map.of());

  private static final Set<String> SKIPPED = Set.of(".git", "target", "build", "node_modules");

  private final Map<String, List<String>> paths;

  private SourceFiles(Map<String, List<String>> paths) {
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
    Map<String, List<String>> paths = new HashMap<>();
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
              paths.computeIfAbsent(name, n -> new ArrayList<>()).add(path);
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
    String file = file(name, CallSite.method(callSite));
    return Optional.of(new Place(file, Integer.parseInt(place.substring(colon + 1))));
  }

  private String file(String name, String method) {
    List<String> all = paths.getOrDefault(name, List.of());
    List<String> files =
        all.size() < 2 ? all : all.stream().filter(path -> isOfPackage(path, method)).toList();
    return files.size() == 1 ? files.get(0) : name;
  }

  /** Whether a file is in the directory of a package that the name of a method begins with. */
  private static boolean isOfPackage(String path, String method) {
    String directory = "/" + path.substring(0, path.lastIndexOf('/') + 1);
    for (int dot = method.indexOf('.'); dot > 0; dot = method.indexOf('.', dot + 1)) {
      if (directory.endsWith("/" + method.substring(0, dot).replace('.', '/') + "/")) {
        return true;
      }
    }
    return false;
  }
}
