package io.txwatch.corpus.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The statements of one file of sqllogictest, in order, for one DBMS.
 *
 * <p>Records are separated by blank lines. A record begins with {@code statement} or {@code query};
 * {@code skipif} and {@code onlyif} in front of it name the engines that it is for; {@code halt}
 * ends the file. The results in the file are not read: the unwatched database provides the expected
 * ones.
 */
record SqlLogicTestFile(Path path, List<Entry> entries) {

  /**
   * One statement.
   *
   * @param line the first line of its text, from 1
   */
  record Entry(int line, String sql) {}

  /**
   * Reads a file.
   *
   * @param engine the DBMS as sqllogictest names it
   * @param limit the maximum number of statements
   */
  static SqlLogicTestFile read(Path path, String engine, int limit) throws IOException {
    List<Entry> entries = new ArrayList<>();
    List<String> lines = Files.readAllLines(path);
    boolean applies = true;
    int at = 0;
    while (at < lines.size() && entries.size() < limit) {
      String[] words = lines.get(at).strip().split("\\s+");
      at++;
      switch (words[0]) {
        case "skipif" -> applies &= !words[1].equals(engine);
        case "onlyif" -> applies &= words[1].equals(engine);
        case "halt" -> {
          if (applies) {
            return new SqlLogicTestFile(path, entries);
          }
          applies = true;
        }
        case "statement", "query" -> {
          int first = at;
          while (at < lines.size() && !lines.get(at).isBlank() && !lines.get(at).equals("----")) {
            at++;
          }
          if (applies) {
            entries.add(new Entry(first + 1, String.join("\n", lines.subList(first, at))));
          }
          while (at < lines.size() && !lines.get(at).isBlank()) {
            at++;
          }
          applies = true;
        }
        default -> {
          // A comment, a blank line, or hash-threshold, which is about the results.
        }
      }
    }
    return new SqlLogicTestFile(path, entries);
  }
}
