package io.txwatch.bench.nested;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The names within one text: aliases, and the CTEs that the text declares. */
final class Aliases {

  private final Map<String, String> commonTables = new LinkedHashMap<>();
  private int last;

  /** An alias that the text does not have yet. */
  String next() {
    last++;
    return "x" + last;
  }

  /** Declares a CTE; gives its name. */
  String declare(String body) {
    String name = "w" + (commonTables.size() + 1);
    commonTables.put(name, body);
    return name;
  }

  /** The WITH clause; empty if no CTE was declared. */
  String with() {
    return commonTables.isEmpty()
        ? ""
        : commonTables.entrySet().stream()
            .map(table -> table.getKey() + " AS (" + table.getValue() + ")")
            .collect(Collectors.joining(", ", "WITH ", " "));
  }
}
