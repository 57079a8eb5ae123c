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
record Partitions(String clause, List<String> parts, boolean hasGaps) {

  static Partitions any(RandomSource random, GeneratedDialect grammar) {
    int bound = random.between(1, 6);
    boolean gaps = random.percent(30);
    return grammar.isMySql()
        ? ofMySql(random.below(3), bound, gaps)
        : ofPostgres(random.below(3), bound, gaps);
  }

  private static Partitions ofMySql(int form, int bound, boolean gaps) {
    return switch (form) {
      case 0 ->
          new Partitions(" PARTITION BY HASH (c0) PARTITIONS " + (1 + bound), List.of(), false);
      case 1 ->
          new Partitions(
              " PARTITION BY RANGE (c0) (PARTITION p0 VALUES LESS THAN ("
                  + bound
                  + "), PARTITION p1 VALUES LESS THAN "
                  + (gaps ? "(9))" : "MAXVALUE)"),
              List.of(),
              gaps);
      default ->
          new Partitions(
              " PARTITION BY LIST (c0) (PARTITION p0 VALUES IN (NULL, -1, 0, 1, 2),"
                  + " PARTITION p1 VALUES IN (3, 4, 5, 6, 7))",
              List.of(),
              true);
    };
  }

  private static Partitions ofPostgres(int form, int bound, boolean gaps) {
    return switch (form) {
      case 0 ->
          new Partitions(
              " PARTITION BY HASH (c0)",
              List.of(
                  "FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                  "FOR VALUES WITH (MODULUS 2, REMAINDER 1)"),
              false);
      case 1 ->
          new Partitions(
              " PARTITION BY RANGE (c0)",
              List.of(
                  "FOR VALUES FROM (MINVALUE) TO (" + bound + ")",
                  gaps ? "FOR VALUES FROM (" + bound + ") TO (9)" : "DEFAULT"),
              gaps);
      default ->
          new Partitions(
              " PARTITION BY LIST (c0)",
              List.of(
                  "FOR VALUES IN (NULL, -1, 0, 1, 2)",
                  gaps ? "FOR VALUES IN (3, 4, 5, 6, 7)" : "DEFAULT"),
              gaps);
    };
  }

  /** The statements that define the partitions, after the table. */
  List<String> definitions(String table) {
    return IntStream.range(0, parts.size())
        .mapToObj(
            i -> "CREATE TABLE " + table + "_p" + i + " PARTITION OF " + table + " " + parts.get(i))
        .toList();
  }
}
