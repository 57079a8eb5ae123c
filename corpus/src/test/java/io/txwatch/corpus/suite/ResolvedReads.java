package io.txwatch.corpus.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Of the rows that a program has read, how many got a version by their values. */
final class ResolvedReads {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ResolvedReads() {}

  /**
   * Counts what became of the rows, and the reasons for which others were not observed.
   *
   * @param jar txwatch.jar
   * @param directory all its files whose names begin with {@code history} are checked ({@code
   *     txwatch.history})
   * @return a paragraph of text
   */
  static String count(Path jar, Path directory) throws IOException {
    List<Path> histories;
    try (Stream<Path> files = Files.list(directory)) {
      histories = files.filter(f -> f.getFileName().toString().startsWith("history")).toList();
    }
    if (histories.isEmpty()) {
      return "\nno history was written\n";
    }
    Map<String, Long> rows = new TreeMap<>();
    Map<String, Long> gaps = new TreeMap<>();
    for (Path history : histories) {
      JsonNode checked = check(jar, history);
      add(checked.findPath("resolution"), rows);
      add(checked.findPath("gaps"), gaps);
    }
    return text(rows, gaps);
  }

  private static JsonNode check(Path jar, Path history) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", jar.toString(), "check", "--json", history.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (InputStream out = process.getInputStream()) {
      return MAPPER.readTree(out);
    }
  }

  /** The counts as a paragraph; rows of a kind that did not occur are left out. */
  static String text(Map<String, Long> rows, Map<String, Long> gaps) {
    long all = rows.values().stream().mapToLong(Long::longValue).sum();
    StringBuilder text = new StringBuilder("\n" + all + " rows were read by value");
    rows.forEach(
        (name, count) -> {
          if (count > 0) {
            text.append(
                String.format(Locale.ROOT, ", %s %d (%.1f %%)", name, count, 100.0 * count / all));
          }
        });
    return text.append("\nnot observed: ").append(gaps).append('\n').toString();
  }

  private static void add(JsonNode counts, Map<String, Long> to) {
    counts.fields().forEachRemaining(e -> to.merge(e.getKey(), e.getValue().asLong(), Long::sum));
  }
}
