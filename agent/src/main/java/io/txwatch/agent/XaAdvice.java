package io.txwatch.agent;

import javax.sql.CommonDataSource;
import javax.sql.XAConnection;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** The advice inlined into a data source's {@code getXAConnection}. */
final class XaAdvice {

  private XaAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static void enter(@Advice.This Object source) {
    DriverCalls.enterPooled(source);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(
      @Advice.This CommonDataSource source,
      @Advice.AllArguments Object[] arguments,
      @Advice.Return(readOnly = false) @Nullable XAConnection given) {
    given = (XAConnection) DriverCalls.exitPooled(source, arguments, given);
  }
}
