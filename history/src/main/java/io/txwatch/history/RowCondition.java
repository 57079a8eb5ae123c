package io.txwatch.history;

import java.util.List;

/**
 * A condition on the columns of one row, as WHERE has it: true, false or NULL.
 *
 * <p>It is a function of the row alone. What is not expressed by these operators is {@link Unknown}
 * and may have any value.
 */
public sealed interface RowCondition {

  /** Always true: there is no WHERE. */
  RowCondition ALWAYS = new And(List.of());

  /** True if all are. */
  record And(List<RowCondition> conditions) implements RowCondition {}

  /** True if one is. */
  record Or(List<RowCondition> conditions) implements RowCondition {}

  /** True if the other is false. */
  record Not(RowCondition condition) implements RowCondition {}

  /** Two operands that are compared; NULL if one of them is. */
  record Compare(Operand left, Comparison comparison, Operand right) implements RowCondition {}

  /** Never NULL. */
  record IsNull(Operand operand) implements RowCondition {}

  /** A condition that only the DBMS can evaluate. */
  record Unknown() implements RowCondition {}

  /** How two operands are compared. */
  enum Comparison {
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL
  }

  /** What is compared. */
  sealed interface Operand {}

  /**
   * The row's value in a column.
   *
   * @param name in lower case
   */
  record Column(String name) implements Operand {}

  /**
   * A value that is the same for all rows.
   *
   * @param index its place in {@link RowChoice#constants}, from 0
   */
  record Constant(int index) implements Operand {}

  /**
   * The remainder of the division of two integers, which has the sign of the dividend; NULL or an
   * error if the divisor is 0.
   */
  record Remainder(Operand dividend, Operand divisor) implements Operand {}
}
