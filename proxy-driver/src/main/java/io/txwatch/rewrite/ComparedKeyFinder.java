package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.ValuePlan;
import io.txwatch.plan.ValuePlan.Place;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.OnConflict;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the values of a key's columns in the rows that a statement of one table chooses or inserts:
 * its WHERE is a conjunction with {@code column = value} or {@code column IN (value, …)}, or it is
 * an INSERT of VALUES. In doubt a column has none.
 */
final class ComparedKeyFinder {

  private static final int MAX_VALUES = 64;

  private final Tokens tokens;
  private final DialectSql sql;
  private final Catalog.Table table;
  private final int[] numbers;
  private final Map<String, List<Place>> places = new HashMap<>();

  /** Columns that are given another value than a constant in some row that is inserted. */
  private final Set<String> computed = new HashSet<>();

  private ComparedKeyFinder(Tokens tokens, DialectSql sql, Catalog.Table table) {
    this.tokens = tokens;
    this.sql = sql;
    this.table = table;
    this.numbers = ParameterNumbers.of(tokens);
  }

  static ComparedKey of(Statement statement, Tokens tokens, DialectSql sql, Catalog catalog) {
    Optional<Catalog.Table> table =
        onlyTable(statement).flatMap(source -> catalog.find(source.name()));
    if (table.isEmpty()
        || !table.get().hasDistinctNames()
        || table.get().traits().nameColumns().isEmpty()) {
      return ComparedKey.NONE;
    }
    return new ComparedKeyFinder(tokens, sql, table.get()).of(statement);
  }

  /** The table that a statement names once, and nothing else besides it. */
  static Optional<Source.Table> onlyTable(Statement statement) {
    List<Source> sources = new ArrayList<>();
    statement.forEach(
        node -> {
          if (node instanceof Source source) {
            sources.add(source);
          }
        });
    return sources.size() == 1
            && sources.get(0) instanceof Source.Table table
            && !table.isCommon()
            && table.columnAliases() == 0
        ? Optional.of(table)
        : Optional.empty();
  }

  /** The condition on its rows. */
  static Optional<Clause> where(Statement statement) {
    if (statement instanceof Statement.Select select) {
      return select.query().body() instanceof QueryBody.Select one
          ? one.clause(Clause.Kind.WHERE)
          : Optional.empty();
    }
    return statement instanceof Statement.Update || statement instanceof Statement.Delete
        ? statement.where()
        : Optional.empty();
  }

  private ComparedKey of(Statement statement) {
    boolean inserts = statement instanceof Statement.Insert;
    if (statement instanceof Statement.Insert insert) {
      insertedValues(insert);
    } else {
      where(statement).ifPresent(where -> where.expressions().forEach(this::conjuncts));
    }
    List<ComparedKey.Column> columns = new ArrayList<>();
    for (KeyColumn column : table.traits().nameColumns()) {
      List<Place> known = places.get(column.name());
      if (known != null
          && known.size() <= MAX_VALUES
          && !computed.contains(column.name())
          && isComparable(column)
          && !mayUpdateOther(statement, column)) {
        boolean generates = inserts && sql.generatesForZero();
        columns.add(new ComparedKey.Column(column, List.copyOf(known), generates));
      }
    }
    return columns.isEmpty() ? ComparedKey.NONE : new ComparedKey(table.name(), columns);
  }

  /** False if the DBMS may convert its values before they are compared. */
  private boolean isComparable(KeyColumn column) {
    return switch (column.kind()) {
      case INTEGER, UUID -> true;
      case NUMBER -> column.comparesExactly();
      case TEXT, PADDED_TEXT -> sql.comparesTextAsKeyDoes(false);
      case OTHER -> false;
    };
  }

  private void conjuncts(Expression condition) {
    Expression plain = condition.unwrapped();
    if (plain instanceof Expression.In in) {
      if (!in.negated() && in.left() instanceof Expression.Name name) {
        List<Expression> listed =
            in.right() instanceof Expression.Tuple tuple ? tuple.items() : List.of(in.right());
        compared(name, listed);
      }
    } else if (plain instanceof Expression.Chain chain) {
      if (chain.operators().stream().allMatch("AND"::equals)) {
        chain.operands().forEach(this::conjuncts);
      } else if (chain.operators().equals(List.of("="))) {
        comparison(chain.operands().get(0), chain.operands().get(1));
        comparison(chain.operands().get(1), chain.operands().get(0));
      }
    }
  }

  private void comparison(Expression left, Expression right) {
    if (left.unwrapped() instanceof Expression.Name name) {
      compared(name, List.of(right));
    }
  }

  /** Rows that are chosen have one of these values, if all of them are constants. */
  private void compared(Expression.Name column, List<Expression> values) {
    List<Place> found = new ArrayList<>();
    for (Expression value : values) {
      Place place = place(value);
      if (place == null) {
        return;
      }
      found.add(place);
    }
    places.putIfAbsent(Identifiers.fold(column.last()), found);
  }

  private void insertedValues(Statement.Insert insert) {
    if (insert.replaces() || overridesValues(insert) || mayMakeFit(insert)) {
      return; // it may write a row that has another key
    }
    if (insert.from() == Statement.RowsFrom.SET) {
      for (Assignment assignment : insert.assignments()) {
        if (assignment.targets().size() == 1) {
          inserted(assignment.targets().get(0).last(), assignment.value());
        }
      }
      return;
    }
    List<Expression.Tuple> rows =
        insert.from() == Statement.RowsFrom.VALUES ? insert.tuples() : List.of();
    List<String> columns = insert.columns().map(this::listed).orElse(table.columns());
    for (Expression.Tuple row : rows) {
      if (row.items().size() != columns.size()) {
        places.clear();
        return;
      }
      for (int i = 0; i < columns.size(); i++) {
        inserted(columns.get(i), row.items().get(i));
      }
    }
  }

  /**
   * True if an INSERT may update a row that has another value in a column. It has the same one if
   * ON CONFLICT names the column; text may be compared otherwise by the index that is meant.
   */
  private boolean mayUpdateOther(Statement statement, KeyColumn column) {
    return !statement.updates().isEmpty()
        && statement instanceof Statement.Insert
        && (column.kind() == KeyColumn.Kind.TEXT
            || column.kind() == KeyColumn.Kind.PADDED_TEXT
            || statement.conflicts().stream()
                .filter(conflict -> !conflict.updates().isEmpty())
                .anyMatch(conflict -> !isTarget(conflict, column) || assigns(conflict, column)));
  }

  private boolean isTarget(OnConflict conflict, KeyColumn column) {
    int open = conflict.span().from() + 2;
    return tokens.isOpen(open)
        && conflict.target().stream()
            .filter(one -> one.span().to() <= tokens.partner(open))
            .anyMatch(
                one ->
                    one instanceof Expression.Name name
                        && Identifiers.fold(name.last()).equals(column.name()));
  }

  private static boolean assigns(OnConflict conflict, KeyColumn column) {
    return conflict.updates().stream()
        .flatMap(assignment -> assignment.targets().stream())
        .anyMatch(target -> Identifiers.fold(target.last()).equals(column.name()));
  }

  private void inserted(String column, Expression value) {
    String name = Identifiers.fold(column);
    Place place = place(value);
    if (place == null) {
      computed.add(name);
    } else {
      places.computeIfAbsent(name, c -> new ArrayList<>(1)).add(place);
    }
  }

  /** True if the DBMS may cut off what does not fit a column, as MySQL does for IGNORE. */
  private boolean mayMakeFit(Statement.Insert insert) {
    return tokens.hasAnyWord(insert.verb(), insert.content().from(), "IGNORE")
        || tokens.text().toUpperCase(Locale.ROOT).contains("SET_VAR");
  }

  private boolean overridesValues(Statement.Insert insert) {
    return tokens.hasAnyWord(insert.span().from(), insert.content().from() + 1, "OVERRIDING");
  }

  /** The columns of an INSERT's list; none if one is not a plain name. */
  private List<String> listed(Span list) {
    List<String> columns = new ArrayList<>();
    for (int i = list.from() + 1; i < list.to() - 1; i += 2) {
      if (i < list.to() - 2 && !tokens.text(i + 1).equals(",")) {
        return List.of();
      }
      columns.add(tokens.text(i));
    }
    return columns;
  }

  /** A constant; null for any other value. */
  private @Nullable Place place(Expression expression) {
    Span span = expression.unwrapped().span();
    if (span.to() != span.from() + 1) {
      return null;
    }
    int token = span.from();
    if (tokens.is(token, TokenKind.PARAMETER)) {
      return new ValuePlan.Parameter(numbers[token], ValuePlan.Cast.NONE);
    }
    OptionalLong integer = Literals.integer(tokens, token);
    return integer.isPresent()
        ? new ValuePlan.Literal(integer.getAsLong())
        : Literals.text(tokens, token).map(ValuePlan.Literal::new).orElse(null);
  }
}
