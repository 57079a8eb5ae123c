package io.txwatch.history;

import com.google.protobuf.ProtocolMessageEnum;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Maps constants of txwatch's enums to those of the protobuf schema, which have the same names
 * after a prefix: {@code COMMITTED} is {@code OUTCOME_COMMITTED}.
 */
final class WireNames<A extends Enum<A>, W extends Enum<W> & ProtocolMessageEnum> {

  static final WireNames<IsolationLevel, io.txwatch.history.wire.IsolationLevel> LEVEL =
      new WireNames<>(
          IsolationLevel.values(), io.txwatch.history.wire.IsolationLevel.class, "ISOLATION_LEVEL");
  static final WireNames<StatementKind, io.txwatch.history.wire.StatementKind> STATEMENT_KIND =
      new WireNames<>(
          StatementKind.values(), io.txwatch.history.wire.StatementKind.class, "STATEMENT_KIND");
  static final WireNames<Access, io.txwatch.history.wire.Access> ACCESS =
      new WireNames<>(Access.values(), io.txwatch.history.wire.Access.class, "ACCESS");
  static final WireNames<Outcome, io.txwatch.history.wire.Outcome> OUTCOME =
      new WireNames<>(Outcome.values(), io.txwatch.history.wire.Outcome.class, "OUTCOME");
  static final WireNames<GapReason, io.txwatch.history.wire.GapReason> GAP_REASON =
      new WireNames<>(GapReason.values(), io.txwatch.history.wire.GapReason.class, "GAP_REASON");
  static final WireNames<RecordedValue.Type, io.txwatch.history.wire.RecordedType> RECORDED_TYPE =
      new WireNames<>(
          RecordedValue.Type.values(), io.txwatch.history.wire.RecordedType.class, "RECORDED_TYPE");

  private final Object[] wire;
  private final Object[] ours;
  private final @Nullable Object[] byNumber;
  private final int[] numbers;

  /** Fails at class initialization if the schema lacks a constant. */
  private WireNames(A[] constants, Class<W> wireClass, String prefix) {
    wire = new Object[constants.length];
    ours = new Object[wireClass.getEnumConstants().length];
    byNumber = new @Nullable Object[ours.length];
    numbers = new int[constants.length];
    for (A constant : constants) {
      boolean isUnspecified = constant == IsolationLevel.UNKNOWN;
      String name = isUnspecified ? "UNSPECIFIED" : constant.name();
      W counterpart = Enum.valueOf(wireClass, prefix + "_" + name);
      wire[constant.ordinal()] = counterpart;
      ours[counterpart.ordinal()] = constant;
      byNumber[counterpart.getNumber()] = constant;
      numbers[constant.ordinal()] = counterpart.getNumber();
    }
  }

  @SuppressWarnings("unchecked") // contains only W
  W toWire(A constant) {
    return (W) wire[constant.ordinal()];
  }

  /** The number of the schema's counterpart. */
  int numberOf(A constant) {
    return numbers[constant.ordinal()];
  }

  /** Returns txwatch's constant for a number of the schema; null if there is none. */
  @SuppressWarnings("unchecked") // contains only A
  @Nullable A ofNumber(int number) {
    return number < 0 || number >= byNumber.length ? null : (A) byNumber[number];
  }

  /**
   * Returns txwatch's constant for one of the schema's.
   *
   * @throws IllegalArgumentException if there is none: it is unspecified, or added by a newer
   *     version
   */
  @SuppressWarnings("unchecked") // contains only A
  A toOurs(W constant) {
    Object found = ours[constant.ordinal()];
    if (found == null) {
      throw new IllegalArgumentException(
          constant + " where one of " + Arrays.toString(wire) + " was expected");
    }
    return (A) found;
  }
}
