package io.txwatch.agent;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/**
 * {@link VisibleAdvice} for classes whose loader does not see {@link DriverCalls}, as that of an
 * OSGi bundle: it names classes of the JDK only, and finds the other one where the JVM has put the
 * agent. The name is a constant because the code runs in the driver's class.
 */
final class IsolatedAdvice {

  private IsolatedAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static void enter(@Advice.This Object opener, @Advice.Origin("#m") String method)
      throws ReflectiveOperationException {
    ClassLoader.getSystemClassLoader()
        .loadClass("io.txwatch.agent.DriverCalls")
        .getMethod("enter", String.class, Object.class)
        .invoke(null, method, opener);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(
      @Advice.This Object opener,
      @Advice.Origin("#m") String method,
      @Advice.AllArguments Object[] arguments,
      @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) @Nullable Object opened)
      throws ReflectiveOperationException {
    opened =
        ClassLoader.getSystemClassLoader()
            .loadClass("io.txwatch.agent.DriverCalls")
            .getMethod("exit", String.class, Object.class, Object[].class, Object.class)
            .invoke(null, method, opener, arguments, opened);
  }
}
