package io.txwatch.bench.nested;

import java.util.List;

/** A condition on a row. Unknown counts as false; no condition is negated as a whole. */
sealed interface Condition {

  /** Whether it holds for a row. */
  boolean holds(long[] row, TableRows tables);

  /** Its text for an alias. */
  String sql(String alias, Aliases aliases);

  /** The values of a subquery in their order. */
  private static List<Long> values(Relation in, Column column, TableRows tables) {
    List<Long> values = in.rows(tables).stream().map(column::of).sorted().toList();
    tables.operand(values.toString());
    return values;
  }

  /** A comparison with a literal. */
  record Compare(Column column, String operator, long value) implements Condition {
    @Override
    public boolean holds(long[] row, TableRows tables) {
      long actual = column.of(row);
      return actual != Column.NULL
          && switch (operator) {
            case "=" -> actual == value;
            case "<" -> actual < value;
            case ">=" -> actual >= value;
            case "<>" -> actual != value;
            default -> throw new IllegalStateException(operator);
          };
    }

    @Override
    public String sql(String alias, Aliases aliases) {
      return "%s.%s %s %d".formatted(alias, column.sql(), operator, value);
    }
  }

  /** A property of a number that changes with about every second assignment. */
  record Even() implements Condition {
    @Override
    public boolean holds(long[] row, TableRows tables) {
      return Column.N.of(row) % 2 == 0;
    }

    @Override
    public String sql(String alias, Aliases aliases) {
      return alias + ".n % 2 = 0";
    }
  }

  /** Two conditions, joined by AND or OR. */
  record Both(Condition first, Condition second, boolean and) implements Condition {
    @Override
    public boolean holds(long[] row, TableRows tables) {
      return and
          ? first.holds(row, tables) && second.holds(row, tables)
          : first.holds(row, tables) || second.holds(row, tables);
    }

    @Override
    public String sql(String alias, Aliases aliases) {
      return "(%s %s %s)"
          .formatted(first.sql(alias, aliases), and ? "AND" : "OR", second.sql(alias, aliases));
    }
  }

  /** EXISTS of a correlated subquery. */
  record Exists(Relation in, Column on, boolean negated) implements Condition {
    @Override
    public boolean holds(long[] row, TableRows tables) {
      boolean exists = in.rows(tables).stream().anyMatch(r -> Column.equal(on.of(r), on.of(row)));
      tables.operand(on.of(row) + " " + exists);
      return negated != exists;
    }

    @Override
    public String sql(String alias, Aliases aliases) {
      String inner = aliases.next();
      return "%sEXISTS (SELECT 1 FROM %s %s WHERE %s.%s = %s.%s)"
          .formatted(
              negated ? "NOT " : "", in.from(aliases), inner, inner, on.sql(), alias, on.sql());
    }
  }

  /** IN or NOT IN with a subquery. */
  record In(Relation in, Column column, boolean negated) implements Condition {
    @Override
    public boolean holds(long[] row, TableRows tables) {
      List<Long> values = values(in, column, tables);
      long actual = column.of(row);
      boolean isUnknown =
          !values.isEmpty() && (actual == Column.NULL || values.contains(Column.NULL));
      boolean isIn = values.contains(actual) && actual != Column.NULL;
      return negated ? !isIn && !isUnknown : isIn;
    }

    @Override
    public String sql(String alias, Aliases aliases) {
      String inner = aliases.next();
      return "%s.%s %sIN (SELECT %s.%s FROM %s %s)"
          .formatted(
              alias,
              column.sql(),
              negated ? "NOT " : "",
              inner,
              column.sql(),
              in.from(aliases),
              inner);
    }
  }

  /** A comparison with the greatest value of a subquery, which may have no row. */
  record BelowGreatest(Relation in, Column column) implements Condition {
    @Override
    public boolean holds(long[] row, TableRows tables) {
      List<Long> values = values(in, column, tables);
      return !values.isEmpty() && column.of(row) < values.get(values.size() - 1);
    }

    @Override
    public String sql(String alias, Aliases aliases) {
      String inner = aliases.next();
      return "%s.%s < (SELECT MAX(%s.%s) FROM %s %s)"
          .formatted(alias, column.sql(), inner, column.sql(), in.from(aliases), inner);
    }
  }
}
