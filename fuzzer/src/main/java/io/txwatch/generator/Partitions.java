package io.txwatch.generator;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The partitions of a table, by {@code c0}.
 *
 * @param clause the clause at the end of the table's definition
 * @param parts the definition of each partition; empty if the clause has them
 * @param hasGaps true if some rows fit no partition
 */
public record Partitions(String clause, List<String> parts, boolean hasGaps) {

  /** Copies its arguments. */
  public Partitions {
    parts = List.copyOf(parts);
  }

  static Partitions any(RandomSource random, GeneratedDialect grammar) {
    int bound = random.between(1, 6);
    boolean gaps = random.percent(30);
    List<Partitions> ways = grammar.partitions(bound, gaps);
    return ways.get(random.below(ways.size()));
  }

  /** True if tables can be partitioned. */
  static boolean areSupported(GeneratedDialect grammar) {
    return !grammar.partitions(1, false).isEmpty();
  }

  /** The statements that define the partitions, after the table. */
  List<String> definitions(String table) {
    return IntStream.range(0, parts.size())
        .mapToObj(
            i -> "CREATE TABLE " + table + "_p" + i + " PARTITION OF " + table + " " + parts.get(i))
        .toList();
  }
}
