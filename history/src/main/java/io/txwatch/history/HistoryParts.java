package io.txwatch.history;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a history's files. The newest part, the one that is written, has the history's own
 * name: {@code shop.history}. When it is full it is renamed to {@code shop.history.1}, the next one
 * to {@code shop.history.2}, and so on: the higher the number, the newer the part. txwatch deletes
 * none of them.
 *
 * <p>Each part has a header and texts of its own and can be read without the others.
 */
public final class HistoryParts {

  private static final Pattern NUMBERED = Pattern.compile("(.+)\\.([1-9][0-9]{0,8})");

  private HistoryParts() {}

  /**
   * The parts of a history that exist, the oldest first.
   *
   * @param file the history's own name. That of a numbered part gives this part alone
   */
  public static List<Path> of(Path file) throws IOException {
    List<Path> parts = new ArrayList<>(numbered(file).values());
    if (Files.exists(file)) {
      parts.add(file);
    }
    return parts;
  }

  /** The history that a file of that name is a numbered part of, if it is one; it may not exist. */
  public static Optional<Path> historyOf(Path part) {
    Matcher numbered = NUMBERED.matcher(nameOf(part));
    return numbered.matches()
        ? Optional.of(part.resolveSibling(numbered.group(1)))
        : Optional.empty();
  }

  /** The number of a part's name; 0 if it has none. */
  static int numberOf(Path part) {
    Matcher numbered = NUMBERED.matcher(nameOf(part));
    return numbered.matches() ? Integer.parseInt(numbered.group(2)) : 0;
  }

  /** The name for a part that is full. */
  static Path next(Path file) throws IOException {
    TreeMap<Integer, Path> numbered = numbered(file);
    int last = numbered.isEmpty() ? 0 : numbered.lastKey();
    return file.resolveSibling(nameOf(file) + "." + (last + 1));
  }

  private static TreeMap<Integer, Path> numbered(Path file) throws IOException {
    TreeMap<Integer, Path> found = new TreeMap<>();
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      return found;
    }
    String name = nameOf(file);
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(directory, entry -> nameOf(entry).startsWith(name + "."))) {
      for (Path entry : entries) {
        Matcher numbered = NUMBERED.matcher(nameOf(entry));
        if (numbered.matches() && numbered.group(1).equals(name)) {
          found.put(Integer.parseInt(numbered.group(2)), file.resolveSibling(nameOf(entry)));
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // Whoever opens the file says so.
    }
    return found;
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName());
  }
}
