package io.txwatch.flink;

import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Flink's interfaces, as far as a function uses them. */
final class Fakes {

  private Fakes() {}

  /** What a method returns, by its name and its arguments. */
  interface Call {
    @Nullable Object of(String name, Object[] arguments);
  }

  static <T> T fake(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                call.of(method.getName(), arguments == null ? new Object[0] : arguments)));
  }
}
