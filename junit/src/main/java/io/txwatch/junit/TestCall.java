package io.txwatch.junit;

import java.lang.reflect.Method;

/**
 * A test that executed operations.
 *
 * @param name its class and method, without the package: {@code ShopTest.sells}
 * @param call how another method of its class calls it; empty if it has parameters
 */
record TestCall(String name, String call) {

  static TestCall of(Class<?> testClass, Method method) {
    String type = testClass.getName();
    String shown = type.substring(type.lastIndexOf('.') + 1).replace('$', '.');
    return new TestCall(
        shown + "." + method.getName(),
        method.getParameterCount() > 0 ? "" : method.getName() + "()");
  }
}
