package io.txwatch.corpus.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Selects the files of a checkout of sqllogictest to run, and how much of each. */
final class SqlLogicTestFiles {

  /**
   * A part of the checkout. Ordered by size: statements that a small group does not use are left
   * for the next.
   */
  enum Group {
    EVIDENCE,
    SELECT,
    RANDOM,
    INDEX
  }

  private final Path tests;

  /**
   * @param checkout a checkout of sqllogictest, or its directory {@code test}
   */
  SqlLogicTestFiles(Path checkout) {
    this.tests = Files.isDirectory(checkout.resolve("test")) ? checkout.resolve("test") : checkout;
  }

  /**
   * The statements to run: all of the small groups, and of the large ones as many files as the
   * number allows, evenly spread.
   *
   * @param statements the number of all; a file is added while there are fewer
   * @param perFile the maximum number for one file
   */
  List<SqlLogicTestFile> choose(List<Group> groups, String engine, int statements, int perFile)
      throws IOException {
    List<SqlLogicTestFile> chosen = new ArrayList<>();
    int left = statements;
    for (int i = 0; i < groups.size(); i++) {
      int share = left / (groups.size() - i);
      List<Path> paths = paths(groups.get(i));
      double step = Math.max(1, (double) paths.size() * perFile / Math.max(1, share));
      int taken = 0;
      for (double at = 0; at < paths.size() && taken < share; at += step) {
        SqlLogicTestFile file = SqlLogicTestFile.read(paths.get((int) at), engine, perFile);
        chosen.add(file);
        taken += file.entries().size();
      }
      left -= taken;
    }
    return chosen;
  }

  /** The relative path of a file, for reports. */
  String name(Path path) {
    return tests.relativize(path).toString();
  }

  private List<Path> paths(Group group) throws IOException {
    try (Stream<Path> files = Files.walk(tests)) {
      return files
          .filter(file -> file.toString().endsWith(".test"))
          .filter(file -> group(file) == group)
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }

  private Group group(Path file) {
    String name = name(file);
    return name.startsWith("evidence")
        ? Group.EVIDENCE
        : name.startsWith("random")
            ? Group.RANDOM
            : name.startsWith("index") ? Group.INDEX : Group.SELECT;
  }
}
