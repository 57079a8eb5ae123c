package io.txwatch.jdbc.error;

import io.txwatch.plan.Carried;
import io.txwatch.plan.RewritePlan;
import java.sql.SQLException;

/** Where the application's parameters stand in the text that is sent. */
public final class Places {

  private Places() {}

  /**
   * The driver's index of a parameter. An index that is out of the application's range is mapped to
   * one that is out of the driver's, so that the driver itself raises the error.
   */
  public static int behind(RewritePlan plan, int index) {
    int[] places = plan.parameterIndex();
    if (index >= 1 && index <= places.length) {
      return places[index - 1];
    }
    int added = plan.addedParameters();
    return index < 1 || index > places.length + added ? index : index + added;
  }

  /** A driver's error about a parameter, in the application's numbers. */
  public static SQLException shown(SQLException error, RewritePlan plan, int index) {
    int count = plan.parameterCount();
    int added = plan.addedParameters();
    return added == 0 || (index >= 1 && index <= count)
        ? error
        : ErrorMessages.ofNumber(error, behind(plan, index), index, count + added, count);
  }

  /**
   * The number that the application gives a parameter.
   *
   * @param behind the driver's; one of ours is itself
   */
  static int front(RewritePlan plan, int behind) {
    int[] places = plan.parameterIndex();
    for (int i = 0; i < places.length; i++) {
      if (places[i] == behind) {
        return i + 1;
      }
    }
    Carried carried = plan.carried();
    for (int i = 0; i < carried.places().length; i++) {
      if (carried.places()[i] == behind) {
        return carried.parameters()[i];
      }
    }
    return behind;
  }
}
