package io.txwatch.cli;

import io.txwatch.document.Markdown;
import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes {@code index.md}: a line for each finding in a folder, those of earlier campaigns
 * included.
 */
final class FindingIndex {

  private static final String FILE = "index.md";

  private FindingIndex() {}

  /** Writes the index of the findings in {@code out}. */
  static void write(Path out) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("# Findings");
    lines.add("");
    lines.add("| finding | found | DBMS | level | by | class | size | what |");
    lines.add("|---|---|---|---|---|---|---|---|");
    for (Path place : cases(out)) {
      lines.add(line(place));
    }
    Files.write(out.resolve(FILE), lines);
  }

  /** The cases of the findings in {@code out}. */
  static List<Path> cases(Path out) throws IOException {
    try (Stream<Path> folders = Files.list(out)) {
      return folders
          .map(folder -> folder.resolve(FindingFolder.CASE))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    }
  }

  /** The cases of the findings in {@code out}, and those that were also seen. */
  static List<Path> allCases(Path out) throws IOException {
    List<Path> places = new ArrayList<>();
    for (Path place : cases(out)) {
      places.add(place);
      try (DirectoryStream<Path> further =
          Files.newDirectoryStream(place.resolveSibling(""), FindingFolder.FURTHER + "*.txt")) {
        further.forEach(places::add);
      }
    }
    return places;
  }

  private static String line(Path place) throws IOException {
    String folder = String.valueOf(place.getName(place.getNameCount() - 2));
    TestCase found;
    try {
      found = CaseReader.read(place);
    } catch (CaseFormatException e) {
      return "| "
          + Markdown.line(folder)
          + " | | | | | | | not readable: "
          + Markdown.line(String.valueOf(e.getMessage()))
          + " |";
    }
    return "| ["
        + Markdown.line(folder)
        + "]("
        + folder
        + "/report.md) | "
        + header(found, FindingFolder.FOUND)
        + " | "
        + header(found, "dbms")
        + " | "
        + header(found, "isolation")
        + " | "
        + header(found, "oracle")
        + " | "
        + header(found, FindingFolder.CLASS)
        + " | "
        + found.sessions().size()
        + " sessions, "
        + found.steps().size()
        + " statements | "
        + header(found, FindingFolder.KNOWN)
        + " |";
  }

  private static String header(TestCase found, String key) {
    return Markdown.line(found.header(key).orElse(""));
  }
}
