package io.txwatch.corpus;

import io.txwatch.corpus.Script.Step;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Reads the written statements of the corpus.
 *
 * <p>Each file has a theme. A statement ends with a semicolon at the end of a line, which is not
 * part of it. A line {@code --? 1, 'x', null} before a statement binds its parameters; several such
 * lines execute it several times. The lines between {@code --[} and {@code --]} are one statement,
 * including semicolons. Every other line that begins with {@code --} is a comment. Files in {@code
 * common} are for every DBMS: a statement that a DBMS does not support must fail watched as it
 * fails raw.
 */
final class CorpusFiles {

  private CorpusFiles() {}

  /** The statements that create the tables of a DBMS. */
  static List<String> schema(ServerKind kind) {
    return texts(root().resolve(directory(kind)).resolve("schema.sql"));
  }

  /** The statements that empty the tables and fill them with the rows every script begins with. */
  static List<String> fill() {
    return texts(root().resolve("fill.sql"));
  }

  /**
   * The scripts for a DBMS.
   *
   * @param pass the number of the pass; each pass executes a statement by another method
   */
  static List<Script> scripts(ServerKind kind, int pass) {
    List<Script> scripts = new ArrayList<>();
    for (String directory : List.of("common", directory(kind))) {
      try (Stream<Path> files = Files.list(root().resolve(directory))) {
        files
            .filter(file -> file.toString().endsWith(".sql"))
            .filter(file -> !file.endsWith("schema.sql"))
            .sorted()
            .forEach(file -> scripts.add(script(directory, file, pass)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return scripts;
  }

  private static String directory(ServerKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static Path root() {
    try {
      return Path.of(Objects.requireNonNull(CorpusFiles.class.getResource("/corpus")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> texts(Path file) {
    return steps(file, 0).stream().map(Step::sql).toList();
  }

  private static Script script(String directory, Path file, int pass) {
    String name = directory + "/" + file.getFileName();
    return new Script(name + "#" + pass, pass % 2 == 1, steps(file, pass));
  }

  private static List<Step> steps(Path file, int pass) {
    List<Step> steps = new ArrayList<>();
    List<List<Object>> bindings = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    boolean block = false;
    for (String line : lines(file)) {
      boolean done = false;
      if (line.equals("--[")) {
        block = true;
      } else if (line.equals("--]")) {
        block = false;
        done = true;
      } else if (block) {
        text.append(line).append('\n');
      } else if (line.startsWith("--?")) {
        bindings.add(Literals.parse(line.substring(3)));
      } else if (text.isEmpty() && (line.startsWith("--") || line.isBlank())) {
        continue;
      } else if (line.stripTrailing().endsWith(";")) {
        text.append(line.stripTrailing()).deleteCharAt(text.length() - 1);
        done = true;
      } else {
        text.append(line).append('\n');
      }
      if (done) {
        String sql = text.toString();
        steps.add(
            new Step(
                sql,
                List.copyOf(bindings),
                ExecutionMethod.choose(sql, !bindings.isEmpty(), steps.size() + pass)));
        bindings.clear();
        text.setLength(0);
      }
    }
    if (!text.isEmpty()) {
      throw new IllegalStateException(file + " ends within a statement: " + text);
    }
    return steps;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file.toString(), e);
    }
  }
}
