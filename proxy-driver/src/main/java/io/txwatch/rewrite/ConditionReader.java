package io.txwatch.rewrite;

import io.txwatch.history.RowCondition;
import io.txwatch.history.RowCondition.Comparison;
import io.txwatch.history.RowCondition.Operand;
import io.txwatch.plan.ValuePlan.Place;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads a WHERE of one table as a condition that can be evaluated without the DBMS. What it does
 * not know is {@link RowCondition.Unknown}, in its place: the rest stays known.
 */
final class ConditionReader {

  private final Predicate<Expression.Name> isColumn;
  private final Function<Expression, Place> constant;
  private final Predicate<Place> isKnown;
  private final List<Place> constants = new ArrayList<>();

  /**
   * Reads conditions.
   *
   * @param isColumn whether a name is certainly a column of the table
   * @param constant the place of a parameter or a literal
   * @param isKnown whether a place has a value
   */
  ConditionReader(
      Predicate<Expression.Name> isColumn,
      Function<Expression, Place> constant,
      Predicate<Place> isKnown) {
    this.isColumn = isColumn;
    this.constant = constant;
    this.isKnown = isKnown;
  }

  /** The places of the constants in the conditions that were read. */
  List<Place> constants() {
    return List.copyOf(constants);
  }

  /** A condition. */
  RowCondition read(Expression expression) {
    Expression plain = expression.unwrapped();
    if (plain instanceof Expression.Chain chain) {
      return chain(chain);
    } else if (plain instanceof Expression.Operation operation) {
      return operation(operation);
    } else if (plain instanceof Expression.In in) {
      return in(in);
    }
    return new RowCondition.Unknown();
  }

  private RowCondition chain(Expression.Chain chain) {
    String operator = chain.operators().get(0);
    if (chain.operators().stream().anyMatch(other -> !other.equals(operator))) {
      return new RowCondition.Unknown();
    } else if (operator.equals("AND")) {
      return new RowCondition.And(chain.operands().stream().map(this::read).toList());
    } else if (operator.equals("OR")) {
      return new RowCondition.Or(chain.operands().stream().map(this::read).toList());
    }
    Comparison comparison =
        switch (operator) {
          case "=" -> Comparison.EQUAL;
          case "<>", "!=" -> Comparison.NOT_EQUAL;
          case "<" -> Comparison.LESS;
          case "<=" -> Comparison.LESS_OR_EQUAL;
          case ">" -> Comparison.GREATER;
          case ">=" -> Comparison.GREATER_OR_EQUAL;
          default -> null;
        };
    return comparison == null || chain.operands().size() != 2
        ? new RowCondition.Unknown()
        : compare(chain.operands().get(0), comparison, chain.operands().get(1));
  }

  private RowCondition operation(Expression.Operation operation) {
    List<Expression> operands = operation.operands();
    return switch (operation.operator()) {
      // MySQL has a mode in which NOT belongs to the next operand alone.
      case "NOT" ->
          operands.get(0) instanceof Expression.Tuple negated
              ? new RowCondition.Not(read(negated))
              : new RowCondition.Unknown();
      case "IS NULL" -> isNull(operands.get(0));
      case "IS NOT NULL" -> new RowCondition.Not(isNull(operands.get(0)));
      case "BETWEEN" -> between(operands);
      case "NOT BETWEEN" -> new RowCondition.Not(between(operands));
      default -> new RowCondition.Unknown();
    };
  }

  private RowCondition isNull(Expression expression) {
    Operand operand = operand(expression);
    return operand == null ? new RowCondition.Unknown() : new RowCondition.IsNull(operand);
  }

  private RowCondition between(List<Expression> operands) {
    return operands.size() != 3
        ? new RowCondition.Unknown()
        : new RowCondition.And(
            List.of(
                compare(operands.get(0), Comparison.GREATER_OR_EQUAL, operands.get(1)),
                compare(operands.get(0), Comparison.LESS_OR_EQUAL, operands.get(2))));
  }

  private RowCondition in(Expression.In in) {
    if (!(in.right() instanceof Expression.Tuple list) || in.left() instanceof Expression.Tuple) {
      return new RowCondition.Unknown();
    }
    RowCondition any =
        new RowCondition.Or(
            list.items().stream().map(item -> compare(in.left(), Comparison.EQUAL, item)).toList());
    return in.negated() ? new RowCondition.Not(any) : any;
  }

  private RowCondition compare(Expression left, Comparison comparison, Expression right) {
    Operand one = operand(left);
    Operand other = operand(right);
    return one == null || other == null
        ? new RowCondition.Unknown()
        : new RowCondition.Compare(one, comparison, other);
  }

  private @Nullable Operand operand(Expression expression) {
    Expression plain = expression.unwrapped();
    if (plain instanceof Expression.Name name) {
      return isColumn.test(name) ? new RowCondition.Column(Identifiers.fold(name.last())) : null;
    } else if (plain instanceof Expression.Chain chain && chain.operators().equals(List.of("%"))) {
      Operand dividend = operand(chain.operands().get(0));
      Operand divisor = operand(chain.operands().get(1));
      return dividend == null || divisor == null
          ? null
          : new RowCondition.Remainder(dividend, divisor);
    }
    Place place = constant.apply(plain);
    if (!isKnown.test(place)) {
      return null;
    }
    constants.add(place);
    return new RowCondition.Constant(constants.size() - 1);
  }
}
