package io.txwatch.campaign;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Counts the errors with which the DBMS rejected statements. */
final class Rejections {

  /** After so many different errors, further ones are not counted singly. */
  private static final int MAX_ERRORS = 500;

  /** What differs between errors of one kind: names, values, positions. */
  private static final Pattern SPECIFIC = Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`|[0-9]+");

  private final Map<String, Rejection> byKind = new HashMap<>();

  /** Adds a rejected statement. */
  synchronized void add(String sql, String sqlState, int vendorCode, String message) {
    String line = message.lines().findFirst().orElse("").strip();
    String code = sqlState + "/" + vendorCode;
    String kind = code + " " + SPECIFIC.matcher(line).replaceAll("");
    if (byKind.size() >= MAX_ERRORS && !byKind.containsKey(kind)) {
      return;
    }
    byKind.merge(
        kind,
        new Rejection(code + ": " + line, sql, 1),
        (first, more) ->
            new Rejection(first.error(), first.statement(), first.count() + more.count()));
  }

  /** The errors, the most frequent one first. */
  synchronized List<Rejection> mostFrequent() {
    return byKind.values().stream()
        .sorted(
            Comparator.comparing(Rejection::count)
                .reversed()
                .thenComparing(Rejection::error)
                .thenComparing(Rejection::statement))
        .toList();
  }
}
