package io.txwatch.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Checks reported anomalies against the marks in the source of an application. */
final class ReportedLines {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The sources of the application, and of what it may have in common with others. */
  private final List<Path> sources;

  ReportedLines(Path module, Application application) {
    String main = application.mainClass();
    String folder = main.substring(0, main.lastIndexOf('.')).replace('.', '/');
    Path all = module.resolve("src/main/java");
    this.sources = List.of(all.resolve(folder), all.resolve("org/example/shop/jdbc"));
  }

  /** What is wrong with a report: anything but lost updates from marked lines, or none. */
  List<String> faults(List<String> report) throws IOException {
    List<String> faults = new ArrayList<>();
    Set<String> marks = new TreeSet<>();
    for (String line : report) {
      JsonNode anomaly = JSON.readTree(line);
      String phenomenon = anomaly.path("phenomenon").asText();
      if (!phenomenon.equals("LOST_UPDATE")) {
        faults.add(phenomenon + " is reported: " + line);
      }
      for (JsonNode transaction : anomaly.path("transactions")) {
        for (JsonNode statement : transaction.path("statements")) {
          String place = statement.path("callSite").asText().replace(" (usually)", "");
          String mark = mark(place);
          marks.add(mark);
          if (mark.isEmpty()) {
            faults.add("reported line " + place + " of " + statement.path("sql").asText());
          }
        }
      }
    }
    if (!marks.contains("read") || !(marks.contains("write") || marks.contains("commit"))) {
      faults.add("no lost update is reported with its lines");
    }
    return faults;
  }

  /** The mark at the end of a line, given as {@code File.java:line}; empty if there is none. */
  private String mark(String place) throws IOException {
    int colon = place.lastIndexOf(':');
    if (colon < 0) {
      return "";
    }
    String file = place.substring(0, colon);
    int line = Integer.parseInt(place.substring(colon + 1));
    for (Path folder : sources) {
      Path source = folder.resolve(file);
      if (Files.exists(source)) {
        List<String> text = Files.readAllLines(source, StandardCharsets.UTF_8);
        String end = line >= 1 && line <= text.size() ? text.get(line - 1) : "";
        return Stream.of("read", "write", "commit")
            .filter(mark -> end.endsWith("// " + mark))
            .findFirst()
            .orElse("");
      }
    }
    return "";
  }
}
