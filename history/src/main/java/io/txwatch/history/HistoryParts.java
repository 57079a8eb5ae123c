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
 * Names the files of a history. The part being written has the history's own name: {@code
 * shop.history}. A full part is renamed to {@code shop.history.1}, the next one to {@code
 * shop.history.2}, and so on: a higher number is a newer part. txwatch deletes none of them.
 *
 * <p>Each part has its own header and dictionary and can be read without the others.
 */
public final class HistoryParts {

  private static final Pattern NUMBERED = Pattern.compile("(.+)\\.([1-9][0-9]{0,8})");

  private HistoryParts() {}

  /**
   * Returns the existing parts of a history, oldest first.
   *
   * @param file the history's own name; the name of a numbered part returns only this part
   */
  public static List<Path> of(Path file) throws IOException {
    List<Path> parts = new ArrayList<>(numbered(file).values());
    if (Files.exists(file)) {
      parts.add(file);
    }
    return parts;
  }

  /**
   * Returns the history that {@code part} is a numbered part of, if it is one. The history need not
   * exist.
   */
  public static Optional<Path> historyOf(Path part) {
    Matcher numbered = NUMBERED.matcher(nameOf(part));
    return numbered.matches()
        ? Optional.of(part.resolveSibling(numbered.group(1)))
        : Optional.empty();
  }

  /** Returns the number in a part's name; 0 if it has none. */
  static int numberOf(Path part) {
    Matcher numbered = NUMBERED.matcher(nameOf(part));
    return numbered.matches() ? Integer.parseInt(numbered.group(2)) : 0;
  }

  /** Returns the name to which a full part is renamed. */
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
      // Opening the file reports the failure.
    }
    return found;
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName());
  }
}
