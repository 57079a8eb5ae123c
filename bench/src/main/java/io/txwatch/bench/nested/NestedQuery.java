package io.txwatch.bench.nested;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A query with its text.
 *
 * @param sql the text
 * @param shape what it selects
 */
record NestedQuery(String sql, Shape shape) {

  /** A query of a shape. */
  static NestedQuery of(Shape shape) {
    Aliases aliases = new Aliases();
    String body = shape.sql(aliases);
    return new NestedQuery(aliases.with() + body, shape);
  }

  /** What it returns from these rows: a line for each row, sorted. */
  String result(TableRows tables) {
    return text(shape.result(tables));
  }

  /** What it returns, followed by what was noted of its subqueries and rows. */
  String trace(Function<String, List<long[]>> tables) {
    Set<String> operands = new TreeSet<>();
    String result =
        result(
            new TableRows() {
              @Override
              public List<long[]> of(String table) {
                return tables.apply(table);
              }

              @Override
              public void operand(String values) {
                operands.add(values);
              }
            });
    return result + "\n" + operands;
  }

  /** A result as it is logged. */
  static String text(Stream<String> rows) {
    return rows.sorted().collect(Collectors.joining("\n"));
  }

  /** What the outermost block selects. */
  sealed interface Shape {
    /** Its rows in any order, the values separated by commas. */
    Stream<String> result(TableRows tables);

    /** Its text without the WITH clause. */
    String sql(Aliases aliases);
  }

  /** The source and the condition of the outermost block. */
  record Source(Relation from, Condition where) {
    List<long[]> rows(TableRows tables) {
      return from.rows(tables).stream().filter(row -> where.holds(row, tables)).toList();
    }

    String sql(String alias, Aliases aliases) {
      return " FROM %s %s WHERE %s".formatted(from.from(aliases), alias, where.sql(alias, aliases));
    }
  }

  /** Some columns of the rows. */
  record Rows(Source source, List<Column> columns) implements Shape {
    @Override
    public Stream<String> result(TableRows tables) {
      List<long[]> rows = source.rows(tables);
      // Another one in its place, behind a LIMIT, may look the same.
      rows.forEach(row -> tables.operand("row " + Column.ID.of(row)));
      return rows.stream()
          .map(row -> columns.stream().map(c -> "" + c.of(row)).collect(Collectors.joining(",")));
    }

    @Override
    public String sql(Aliases aliases) {
      String alias = aliases.next();
      return columns.stream()
              .map(column -> alias + "." + column.sql())
              .collect(Collectors.joining(", ", "SELECT ", ""))
          + source.sql(alias, aliases);
    }
  }

  /** The number of the rows and the sum of a column. */
  record Total(Source source) implements Shape {
    @Override
    public Stream<String> result(TableRows tables) {
      List<long[]> rows = source.rows(tables);
      String sum = rows.isEmpty() ? "null" : "" + rows.stream().mapToLong(Column.N::of).sum();
      return Stream.of(rows.size() + "," + sum);
    }

    @Override
    public String sql(Aliases aliases) {
      String alias = aliases.next();
      return "SELECT COUNT(*), SUM(%s.n)".formatted(alias) + source.sql(alias, aliases);
    }
  }

  /** The groups of more than so many rows. */
  record Groups(Source source, int moreThan) implements Shape {
    @Override
    public Stream<String> result(TableRows tables) {
      TreeMap<Long, long[]> groups = new TreeMap<>();
      for (long[] row : source.rows(tables)) {
        long[] group =
            groups.computeIfAbsent(Column.K.of(row), k -> new long[] {k, 0, Long.MIN_VALUE});
        group[1]++;
        group[2] = Math.max(group[2], Column.N.of(row));
      }
      return groups.values().stream()
          .filter(group -> group[1] > moreThan)
          .map(
              group -> Arrays.stream(group).mapToObj(v -> "" + v).collect(Collectors.joining(",")));
    }

    @Override
    public String sql(Aliases aliases) {
      String alias = aliases.next();
      return "SELECT %1$s.k, COUNT(*), MAX(%1$s.n)".formatted(alias)
          + source.sql(alias, aliases)
          + " GROUP BY %s.k HAVING COUNT(*) > %d".formatted(alias, moreThan);
    }
  }

  /** The keys, each with the greatest number of a correlated subquery in the SELECT list. */
  record Greatest(Source source, Relation in) implements Shape {
    @Override
    public Stream<String> result(TableRows tables) {
      List<long[]> inner = in.rows(tables);
      return source.rows(tables).stream()
          .map(
              row -> {
                List<Long> values =
                    inner.stream()
                        .filter(r -> Column.equal(Column.K.of(r), Column.K.of(row)))
                        .map(Column.N::of)
                        .sorted()
                        .toList();
                tables.operand(values.toString());
                return Column.ID.of(row)
                    + ","
                    + (values.isEmpty() ? "null" : "" + values.get(values.size() - 1));
              });
    }

    @Override
    public String sql(Aliases aliases) {
      String alias = aliases.next();
      String inner = aliases.next();
      String scalar =
          "SELECT %1$s.id, (SELECT MAX(%2$s.n) FROM %3$s %2$s WHERE %2$s.k = %1$s.k)"
              .formatted(alias, inner, in.from(aliases));
      return scalar + source.sql(alias, aliases);
    }
  }
}
