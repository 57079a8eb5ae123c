package io.txwatch.dialect;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls of public methods of a driver, each on what the one before returned, by their names: the
 * driver's classes are the application's.
 */
public final class CallChain {

  /** No calls. */
  public static final CallChain NONE = new CallChain(List.of());

  private final List<Step> steps;

  private record Step(String type, String method) {}

  private CallChain(List<Step> steps) {
    this.steps = steps;
  }

  /**
   * A call on a connection.
   *
   * @param type the class or interface that declares the method
   */
  public static CallChain of(String type, String method) {
    return NONE.then(type, method);
  }

  /**
   * A further call, on what the last one returned.
   *
   * @param type the class or interface that declares the method
   */
  public CallChain then(String type, String method) {
    List<Step> all = new ArrayList<>(steps);
    all.add(new Step(type, method));
    return new CallChain(List.copyOf(all));
  }

  /** The calls on connections of a class; empty if they are of another driver, or version of it. */
  public List<MethodHandle> on(Class<?> connection) {
    Class<?> owner = steps.isEmpty() ? null : superType(connection, steps.get(0).type());
    if (owner == null) {
      return List.of();
    }
    List<MethodHandle> calls = new ArrayList<>();
    try {
      for (Step step : steps) {
        Class<?> type =
            calls.isEmpty() ? owner : Class.forName(step.type(), false, owner.getClassLoader());
        calls.add(
            MethodHandles.publicLookup()
                .unreflect(type.getMethod(step.method()))
                .asType(MethodType.methodType(Object.class, Object.class)));
      }
      return List.copyOf(calls);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return List.of();
    }
  }

  /** The type of that name that a type is or extends; null if there is none. */
  private static @Nullable Class<?> superType(@Nullable Class<?> type, String name) {
    if (type == null || type.getName().equals(name)) {
      return type;
    }
    for (Class<?> implemented : type.getInterfaces()) {
      Class<?> found = superType(implemented, name);
      if (found != null) {
        return found;
      }
    }
    return superType(type.getSuperclass(), name);
  }
}
