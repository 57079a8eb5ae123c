package io.txwatch.jdbc;

import io.txwatch.sql.RewritePlan;

/** Where the application's parameters stand in the text that is sent. */
final class Places {

  private Places() {}

  /**
   * The driver's index of a parameter. An index that is out of the application's range is mapped to
   * one that is out of the driver's, so that the driver itself raises the error.
   */
  static int behind(RewritePlan plan, int index) {
    int[] places = plan.parameterIndex();
    if (index >= 1 && index <= places.length) {
      return places[index - 1];
    }
    return index < 1 ? index : index + plan.addedParameters();
  }
}
