package io.txwatch.dependency;

/** What the application calls a transaction: {@code shop.OrderService.sell}. */
public final class OperationName {

  private OperationName() {}

  /** The name without the packages, {@code OrderService.sell}. */
  public static String withoutPackages(String name) {
    int method = name.lastIndexOf('.');
    return name.substring(name.lastIndexOf('.', method - 1) + 1);
  }
}
