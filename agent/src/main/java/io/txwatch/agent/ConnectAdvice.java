package io.txwatch.agent;

import java.sql.Connection;
import java.sql.Driver;
import java.util.Properties;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** The advice inlined into {@link Driver#connect}: two calls, neither of which throws. */
final class ConnectAdvice {

  private ConnectAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static void enter(@Advice.This Driver driver) {
    DriverCalls.enter(driver);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(
      @Advice.This Driver driver,
      @Advice.Argument(0) String url,
      @Advice.Argument(1) @Nullable Properties info,
      @Advice.Return(readOnly = false) @Nullable Connection connection) {
    connection = DriverCalls.exit(driver, url, info, connection);
  }
}
