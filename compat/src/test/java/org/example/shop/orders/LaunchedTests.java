package org.example.shop.orders;

import java.io.PrintWriter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the tests of a class, and prints how each ends. */
public final class LaunchedTests {

  private LaunchedTests() {}

  /**
   * Runs them.
   *
   * @param arguments the class, and the folder of schedules
   */
  public static void main(String[] arguments) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(arguments[0]))
            .configurationParameter("txwatch.junit.interleavings", arguments[1])
            .build();
    LauncherFactory.create().execute(request, new Printer());
    System.exit(0);
  }

  private static final class Printer implements TestExecutionListener {
    private long begin;

    @Override
    public void executionStarted(TestIdentifier test) {
      begin = System.nanoTime();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      PrintWriter out = new PrintWriter(System.out, true);
      if (test.isTest()) {
        long millis = (System.nanoTime() - begin) / 1_000_000;
        out.println("> " + test.getUniqueId() + " " + result.getStatus() + " in " + millis + " ms");
      }
      result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(out));
    }
  }
}
