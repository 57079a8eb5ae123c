package io.txwatch.corpus;

import io.txwatch.history.GapReason;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the statements on rows of prepared tables that were instrumented, by DBMS and level, and
 * the reasons for the others.
 */
final class Coverage {

  private record Key(ServerKind kind, Level level) {}

  private static final class Count {
    long statements;
    long partly;
    long identifiedLater;
    final Map<GapReason, Long> notObserved = new EnumMap<>(GapReason.class);

    long instrumented() {
      return statements - notObserved.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private final Map<Key, Count> counts = new LinkedHashMap<>();
  private final Map<String, Map<String, Long>> shapes = new TreeMap<>();

  private Count count(ServerKind kind, Level level) {
    return counts.computeIfAbsent(new Key(kind, level), key -> new Count());
  }

  /**
   * Counts a statement whose rows were all observed.
   *
   * @param identifiedLater true if the rows that it wrote are identified when they are next read
   */
  void instrumented(ServerKind kind, Level level, boolean identifiedLater) {
    count(kind, level).statements++;
    count(kind, level).identifiedLater += identifiedLater ? 1 : 0;
  }

  /**
   * Counts a statement that was not observed, or not completely.
   *
   * @param partly true if some of its rows were observed
   */
  void notObserved(
      ServerKind kind, Level level, GapReason reason, String detail, String sql, boolean partly) {
    Count count = count(kind, level);
    count.partly += partly ? 1 : 0;
    count.statements++;
    count.notObserved.merge(reason, 1L, Long::sum);
    String shape = level + " | " + reason + " | " + verb(sql) + " | " + detail;
    shapes
        .computeIfAbsent(shape, s -> new TreeMap<>())
        .merge(kind + ": " + oneLine(sql), 1L, Long::sum);
  }

  /** The share of statements that were instrumented, 1 if none affectedRows rows. */
  double share(Level level) {
    long statements = 0;
    long instrumented = 0;
    for (Map.Entry<Key, Count> entry : counts.entrySet()) {
      if (entry.getKey().level == level) {
        statements += entry.getValue().statements;
        instrumented += entry.getValue().instrumented();
      }
    }
    return statements == 0 ? 1 : (double) instrumented / statements;
  }

  /** A table in Markdown: a line for each DBMS and level. */
  String table() {
    StringBuilder out = new StringBuilder();
    out.append(
        "| DBMS | level | statements | instrumented | % | of these, written rows identified later"
            + " | partly | not observed, by reason |\n");
    out.append("|---|---|---:|---:|---:|---:|---:|---|\n");
    for (Map.Entry<Key, Count> entry : counts.entrySet()) {
      Count count = entry.getValue();
      StringBuilder reasons = new StringBuilder();
      count.notObserved.forEach(
          (reason, n) ->
              reasons.append(reasons.isEmpty() ? "" : ", ").append(reason).append(' ').append(n));
      out.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %d | %d | %.1f | %d | %d | %s |%n",
              entry.getKey().kind,
              entry.getKey().level.name().toLowerCase(Locale.ROOT),
              count.statements,
              count.instrumented(),
              100.0 * count.instrumented() / Math.max(1, count.statements),
              count.identifiedLater,
              count.partly,
              reasons));
    }
    for (Level level : Level.values()) {
      out.append(
          String.format(
              Locale.ROOT,
              "| all | %s | | | %.1f | | | |%n",
              level.name().toLowerCase(Locale.ROOT),
              100 * share(level)));
    }
    return out.toString();
  }

  /** The shapes that were passed through, the most frequent first, with a few examples each. */
  String shapes(int most, int examples) {
    StringBuilder out = new StringBuilder();
    shapes.entrySet().stream()
        .sorted(
            Comparator.comparing((Map.Entry<String, Map<String, Long>> e) -> -sum(e.getValue())))
        .limit(most)
        .forEach(
            entry -> {
              out.append(sum(entry.getValue())).append("  ").append(entry.getKey()).append('\n');
              List<String> texts = entry.getValue().keySet().stream().toList();
              int step = Math.max(1, texts.size() / examples);
              for (int i = 0; i < texts.size() && i / step < examples; i += step) {
                out.append("      ").append(texts.get(i)).append('\n');
              }
            });
    return out.toString();
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private static String verb(String sql) {
    String plain = oneLine(sql).replaceFirst("^(\\s|/\\*.*?\\*/|\\()+", "");
    return plain.split("[^A-Za-z]+", 2)[0].toUpperCase(Locale.ROOT);
  }

  private static String oneLine(String sql) {
    return sql.replaceAll("--[^\n]*\n", " ").replaceAll("\\s+", " ").strip();
  }
}
