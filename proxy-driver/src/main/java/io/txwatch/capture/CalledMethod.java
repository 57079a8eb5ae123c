package io.txwatch.capture;

import io.txwatch.capture.ApplicationClasses.Rank;
import io.txwatch.history.CallSite;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A method of the application that a test calls, and that the calling thread executes now.
 *
 * @param name {@code shop.OrderService.sell}
 * @param isOfTests true if its class was loaded from where the test was: it may be a helper of
 *     tests
 */
public record CalledMethod(String name, boolean isOfTests) {

  private static final StackWalker WALKER =
      StackWalker.getInstance(Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE));

  private static final ApplicationClasses CLASSES = new ApplicationClasses(List.of());

  /**
   * Finds it on the calling thread's stack: the outermost one that is not of the tests if there is
   * one, else the outermost one.
   *
   * @param isTest which classes are those of tests that run
   * @return empty if no test is on the stack, or it executes the statement itself
   */
  public static Optional<CalledMethod> find(Predicate<Class<?>> isTest) {
    try {
      return Optional.ofNullable(WALKER.walk(frames -> find(frames, isTest)));
    } catch (LinkageError e) {
      return Optional.empty(); // a class that fails to load must not fail the statement
    }
  }

  private static @Nullable CalledMethod find(
      Stream<StackFrame> frames, Predicate<Class<?>> isTest) {
    List<StackFrame> behind = new ArrayList<>();
    List<StackFrame> called = new ArrayList<>();
    Class<?> test = null;
    for (Iterator<StackFrame> walk = frames.iterator(); walk.hasNext(); ) {
      StackFrame frame = walk.next();
      Class<?> type = frame.getDeclaringClass();
      if (isTest.test(type)) {
        test = test == null ? type : test;
        called.addAll(behind);
        behind.clear();
      } else if (CLASSES.rank(type) != Rank.NONE) {
        behind.add(frame);
      }
    }
    if (test == null) {
      return null;
    }
    String owner = CLASSES.owner(test);
    called.removeIf(frame -> !isOfApplication(frame.getDeclaringClass(), owner));
    if (called.isEmpty()) {
      return null;
    }
    String location = CodeLocations.location(test);
    StackFrame best = null;
    for (StackFrame frame : called) {
      if (!Objects.equals(location, CodeLocations.location(frame.getDeclaringClass()))) {
        best = frame;
      }
    }
    return best == null
        ? new CalledMethod(name(called.get(called.size() - 1)), true)
        : new CalledMethod(name(best), false);
  }

  /** A jar beside the application is part of it if its packages are. */
  private static boolean isOfApplication(Class<?> type, String owner) {
    return CLASSES.rank(type).compareTo(Rank.APPLICATION) >= 0 || CLASSES.owner(type).equals(owner);
  }

  private static String name(StackFrame frame) {
    return CallSite.method(CallSite.of(frame.getClassName(), frame.getMethodName(), ""));
  }
}
