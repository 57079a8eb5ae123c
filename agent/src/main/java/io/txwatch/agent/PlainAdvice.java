package io.txwatch.agent;

import java.sql.Connection;
import javax.sql.DataSource;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** The advice inlined into {@code getConnection} of a driver's data source. */
final class PlainAdvice {

  private PlainAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static void enter(@Advice.This Object source) {
    DriverCalls.enterPlain(source);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(
      @Advice.This DataSource source,
      @Advice.AllArguments Object[] arguments,
      @Advice.Return(readOnly = false) @Nullable Connection connection) {
    connection = DriverCalls.exitPlain(source, arguments, connection);
  }
}
