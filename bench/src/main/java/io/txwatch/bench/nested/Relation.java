package io.txwatch.bench.nested;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a FROM clause reads: a table, or a block around others. Its rows have all columns. */
sealed interface Relation {

  /** Its rows, as the SQL standard defines them. */
  List<long[]> rows(TableRows tables);

  /** Its text in a FROM clause, without an alias. */
  String from(Aliases aliases);

  /** All columns of an alias. */
  static String columns(String alias) {
    return "%1$s.id, %1$s.k, %1$s.n, %1$s.ver".formatted(alias);
  }

  /** A table. */
  record Table(String name) implements Relation {
    @Override
    public List<long[]> rows(TableRows tables) {
      return tables.of(name);
    }

    @Override
    public String from(Aliases aliases) {
      return name;
    }
  }

  /** A query in the place of a table. */
  sealed interface Block extends Relation {
    /** The query. */
    String query(Aliases aliases);

    @Override
    default String from(Aliases aliases) {
      return "(" + query(aliases) + ")";
    }
  }

  /** The rows that a condition lets through. */
  record Filtered(Relation of, Condition where) implements Block {
    @Override
    public List<long[]> rows(TableRows tables) {
      return of.rows(tables).stream().filter(row -> where.holds(row, tables)).toList();
    }

    @Override
    public String query(Aliases aliases) {
      String alias = aliases.next();
      String from = of.from(aliases);
      return "SELECT %s FROM %s %s WHERE %s"
          .formatted(columns(alias), from, alias, where.sql(alias, aliases));
    }
  }

  /** The first rows of a table, by their key. */
  record First(Table of, Condition where, int limit) implements Block {
    @Override
    public List<long[]> rows(TableRows tables) {
      return of.rows(tables).stream()
          .filter(row -> where.holds(row, tables))
          .sorted(Comparator.comparingLong(Column.ID::of))
          .limit(limit)
          .toList();
    }

    @Override
    public String query(Aliases aliases) {
      String alias = aliases.next();
      return "SELECT %s FROM %s %s WHERE %s ORDER BY %s.id LIMIT %d"
          .formatted(columns(alias), of.name(), alias, where.sql(alias, aliases), alias, limit);
    }
  }

  /** The rows of two relations. */
  record Union(Relation first, Relation second, boolean all) implements Block {
    @Override
    public List<long[]> rows(TableRows tables) {
      List<long[]> both = new ArrayList<>(first.rows(tables));
      both.addAll(second.rows(tables));
      if (all) {
        return both;
      }
      Map<String, long[]> distinct = new LinkedHashMap<>();
      both.forEach(row -> distinct.put(Arrays.toString(row), row));
      return List.copyOf(distinct.values());
    }

    @Override
    public String query(Aliases aliases) {
      return branch(first, aliases) + (all ? " UNION ALL " : " UNION ") + branch(second, aliases);
    }

    private static String branch(Relation relation, Aliases aliases) {
      String alias = aliases.next();
      return "SELECT %s FROM %s %s".formatted(columns(alias), relation.from(aliases), alias);
    }
  }

  /**
   * Two relations, joined by a column: key and {@code k} of the first, the others of the second.
   */
  record Joined(Relation first, Relation second, Column on) implements Block {
    @Override
    public List<long[]> rows(TableRows tables) {
      List<long[]> joined = new ArrayList<>();
      List<long[]> right = second.rows(tables);
      for (long[] a : first.rows(tables)) {
        for (long[] b : right) {
          if (Column.equal(on.of(a), on.of(b))) {
            joined.add(
                new long[] {Column.ID.of(a), Column.K.of(a), Column.N.of(b), Column.VER.of(b)});
          }
        }
      }
      return joined;
    }

    @Override
    public String query(Aliases aliases) {
      String a = aliases.next();
      String b = aliases.next();
      return "SELECT %1$s.id, %1$s.k, %2$s.n, %2$s.ver FROM %3$s %1$s JOIN %4$s %2$s ON %1$s.%5$s = %2$s.%5$s"
          .formatted(a, b, first.from(aliases), second.from(aliases), on.sql());
    }
  }

  /** A block as a CTE. */
  record Common(Block body) implements Relation {
    @Override
    public List<long[]> rows(TableRows tables) {
      return body.rows(tables);
    }

    @Override
    public String from(Aliases aliases) {
      return aliases.declare(body.query(aliases));
    }
  }
}
