package io.txwatch.corpus;

import io.txwatch.history.GapReason;
import io.txwatch.servers.ServerKind;
import io.txwatch.sql.RewritePlanner.Level;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many of the statements that touch rows of the application's tables were instrumented, by DBMS
 * and level, and why the others were not.
 */
final class Coverage {

  private record Cell(ServerKind kind, Level level) {}

  private static final class Count {
    long touching;
    long partly;
    long later;
    final Map<GapReason, Long> notSeen = new EnumMap<>(GapReason.class);

    long instrumented() {
      return touching - notSeen.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private final Map<Cell, Count> cells = new LinkedHashMap<>();
  private final Map<String, Map<String, Long>> shapes = new TreeMap<>();

  private Count count(ServerKind kind, Level level) {
    return cells.computeIfAbsent(new Cell(kind, level), cell -> new Count());
  }

  /**
   * A statement all of whose rows were observed.
   *
   * @param later true if it wrote versions that bear its name, but which is told when they are read
   *     next
   */
  void instrumented(ServerKind kind, Level level, boolean later) {
    count(kind, level).touching++;
    count(kind, level).later += later ? 1 : 0;
  }

  /**
   * A statement that was not observed, or of which something was not.
   *
   * @param partly true if some of its rows were observed
   */
  void notSeen(
      ServerKind kind, Level level, GapReason reason, String detail, String sql, boolean partly) {
    Count count = count(kind, level);
    count.partly += partly ? 1 : 0;
    count.touching++;
    count.notSeen.merge(reason, 1L, Long::sum);
    String shape = level + " | " + reason + " | " + verb(sql) + " | " + detail;
    shapes
        .computeIfAbsent(shape, s -> new TreeMap<>())
        .merge(kind + ": " + oneLine(sql), 1L, Long::sum);
  }

  /** The share of statements that were instrumented, 1 if none touched rows. */
  double share(Level level) {
    long touching = 0;
    long instrumented = 0;
    for (Map.Entry<Cell, Count> entry : cells.entrySet()) {
      if (entry.getKey().level == level) {
        touching += entry.getValue().touching;
        instrumented += entry.getValue().instrumented();
      }
    }
    return touching == 0 ? 1 : (double) instrumented / touching;
  }

  /** A table in Markdown: a line for each DBMS and level. */
  String table() {
    StringBuilder out = new StringBuilder();
    out.append(
        "| DBMS | level | touch rows | instrumented | % | of these, written rows told later"
            + " | partly | not seen, by reason |\n");
    out.append("|---|---|---:|---:|---:|---:|---:|---|\n");
    for (Map.Entry<Cell, Count> entry : cells.entrySet()) {
      Count count = entry.getValue();
      StringBuilder reasons = new StringBuilder();
      count.notSeen.forEach(
          (reason, n) ->
              reasons.append(reasons.isEmpty() ? "" : ", ").append(reason).append(' ').append(n));
      out.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %d | %d | %.1f | %d | %d | %s |%n",
              entry.getKey().kind,
              entry.getKey().level.name().toLowerCase(Locale.ROOT),
              count.touching,
              count.instrumented(),
              100.0 * count.instrumented() / Math.max(1, count.touching),
              count.later,
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
