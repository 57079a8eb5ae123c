package io.txwatch.agent;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/**
 * The advice inlined into the methods that open connections, where their class sees {@link
 * DriverCalls}: two calls, neither of which throws.
 */
final class VisibleAdvice {

  private VisibleAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static void enter(@Advice.This Object opener, @Advice.Origin("#m") String method) {
    DriverCalls.enter(method, opener);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(
      @Advice.This Object opener,
      @Advice.Origin("#m") String method,
      @Advice.AllArguments Object[] arguments,
      @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) @Nullable Object opened) {
    opened = DriverCalls.exit(method, opener, arguments, opened);
  }
}
