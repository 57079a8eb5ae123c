package io.txwatch.predict;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Where a value of a statement came from, as far as transactions of its template show it. */
public sealed interface ValueOrigin {

  /** It is an argument of the operation, or a constant. */
  record Given() implements ValueOrigin {}

  /**
   * It is the value of an earlier place of the transaction.
   *
   * @param statement the index of that statement in the sample
   * @param place the index of the value there; its own origin is not {@code Same}
   */
  record Same(int statement, int place) implements ValueOrigin {}

  /**
   * It is what an earlier statement returned.
   *
   * @param statement the index of that statement in the sample
   * @param row the row of its result, from 0
   * @param column the column, from 0
   * @param difference what is added; null if it is the same value
   * @param certain whether several transactions show it; if not, columns of one name are all that
   *     indicates it
   */
  record Returned(
      int statement, int row, int column, @Nullable BigDecimal difference, boolean certain)
      implements ValueOrigin {}
}
