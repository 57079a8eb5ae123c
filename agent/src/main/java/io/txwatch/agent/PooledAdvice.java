package io.txwatch.agent;

import javax.sql.CommonDataSource;
import javax.sql.PooledConnection;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** The advice inlined into a data source's {@code getPooledConnection}. */
final class PooledAdvice {

  private PooledAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static void enter(@Advice.This Object source) {
    DriverCalls.enterPooled(source);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(
      @Advice.This CommonDataSource source,
      @Advice.AllArguments Object[] arguments,
      @Advice.Return(readOnly = false) @Nullable PooledConnection given) {
    given = DriverCalls.exitPooled(source, arguments, given);
  }
}
