package io.txwatch.junit;

import java.lang.reflect.Method;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Attaches the agent before the first test if there is an {@link InterleaveTest}: its class, or one
 * that runs earlier, may open the connections, which are not watched if the agent comes later.
 * JUnit finds it as a service.
 */
public final class AttachingListener implements TestExecutionListener {

  /** Created by JUnit. */
  public AttachingListener() {}

  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    boolean mayAttach =
        plan.getConfigurationParameters().getBoolean(TxWatchExtension.ATTACH).orElse(true);
    if (mayAttach && contains(plan)) {
      try {
        AttachedAgent.attach();
      } catch (IllegalStateException e) {
        // The tests that need it attach it, too, and report this.
      }
    }
  }

  private static boolean contains(TestPlan plan) {
    return plan.getRoots().stream()
        .flatMap(root -> plan.getDescendants(root).stream())
        .anyMatch(AttachingListener::isInterleaved);
  }

  private static boolean isInterleaved(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    return source instanceof MethodSource method && isInterleaved(method);
  }

  private static boolean isInterleaved(MethodSource source) {
    try {
      Method method = source.getJavaMethod();
      return method.isAnnotationPresent(InterleaveTest.class);
    } catch (RuntimeException | LinkageError e) { // another engine's, of no Java method
      return false;
    }
  }
}
