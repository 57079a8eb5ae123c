package io.txwatch.corpus.suite;

import io.txwatch.corpus.Difference;
import io.txwatch.rewrite.RewritePlanner.Level;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Differences by what they have in common. */
final class Causes {

  private static final int EXAMPLES = 3;

  /** What a line of an {@link io.txwatch.corpus.Outcome} says of a column, in order. */
  private static final List<String> PARTS =
      List.of(
          "label",
          "name",
          "table",
          "type name",
          "type",
          "precision",
          "scale",
          "nullable",
          "auto-increment",
          "class");

  private static final class Cause {
    long count;
    final Map<Level, Long> levels = new EnumMap<>(Level.class);
    final List<Difference> examples = new ArrayList<>();
  }

  private final Map<String, Cause> causes = new LinkedHashMap<>();

  void add(Difference difference) {
    Cause cause = causes.computeIfAbsent(key(difference), key -> new Cause());
    cause.count++;
    cause.levels.merge(difference.level(), 1L, Long::sum);
    if (cause.examples.size() < EXAMPLES
        && cause.examples.stream().noneMatch(seen -> seen.sql().equals(difference.sql()))) {
      cause.examples.add(difference);
    }
  }

  boolean isEmpty() {
    return causes.isEmpty();
  }

  private static String key(Difference difference) {
    return String.join(
        " | ",
        difference.kind().toString(),
        difference.isPlanDependent() ? "metadata by plan" : difference.aspect(),
        difference.sql().strip().split("\\s", 2)[0].toUpperCase(Locale.ROOT),
        difference.raw().startsWith("column ") && difference.watched().startsWith("column ")
            ? columns(difference.raw(), difference.watched())
            : shape(difference.raw()) + " | " + shape(difference.watched()));
  }

  /** What of a column's description differs. */
  private static String columns(String raw, String watched) {
    String[] one = raw.split(" \\| ", -1);
    String[] other = watched.split(" \\| ", -1);
    List<String> differ = new ArrayList<>();
    for (int i = 0; i < Math.min(PARTS.size(), Math.min(one.length, other.length)); i++) {
      if (!one[i].equals(other[i])) {
        differ.add(PARTS.get(i));
      }
    }
    return "column: " + String.join(", ", differ);
  }

  private static String shape(String line) {
    String shape = line.replaceAll("'[^']*'", "S").replaceAll("-?\\d+(?:\\.\\d+)?", "N");
    return shape.startsWith("row ") ? "row" : shape.substring(0, Math.min(120, shape.length()));
  }

  String describe() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, Cause> entry : causes.entrySet()) {
      Cause cause = entry.getValue();
      text.append(cause.count).append("  ").append(entry.getKey()).append("  ");
      text.append(cause.levels).append('\n');
      for (Difference example : cause.examples) {
        text.append("  ").append(example.toString().replace("\n", "\n  ")).append('\n');
      }
    }
    return text.toString();
  }
}
