package io.txwatch.dbms;

import java.util.List;

/** The fuzzer does not support the DBMS. */
public final class UnsupportedDbmsException extends Exception {

  private static final long serialVersionUID = 1;

  /**
   * Creates an exception for the product.
   *
   * @param supported the products that are supported
   */
  public UnsupportedDbmsException(String product, List<String> supported) {
    super(
        product
            + " is not among the databases that can be tested here: "
            + String.join(", ", supported));
  }
}
