package io.txwatch.dependency;

/**
 * What the application calls a transaction: a method, {@code shop.OrderService.sell}, or the route
 * of an HTTP request, {@code GET /orders/{id}}.
 */
public final class OperationName {

  private OperationName() {}

  /** The name without the packages, {@code OrderService.sell}; a route as it is. */
  public static String withoutPackages(String name) {
    if (name.indexOf('/') >= 0) {
      return name;
    }
    int method = name.lastIndexOf('.');
    return name.substring(name.lastIndexOf('.', method - 1) + 1);
  }
}
