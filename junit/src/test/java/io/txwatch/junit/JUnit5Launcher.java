package io.txwatch.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import shop.WatchedTests;

/** Runs the tests of an application with whatever JUnit is on the class path. */
public final class JUnit5Launcher {

  private JUnit5Launcher() {}

  /** Prints the version of JUnit, and each test with its result. */
  public static void main(String[] arguments) {
    System.out.println("JUnit " + jarOf(Test.class).replaceAll(".*junit-jupiter-api-|\\.jar", ""));
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(WatchedTests.OfAClass.class))
                .build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                System.out.println(
                    test.getDisplayName()
                        + ": "
                        + result.getStatus()
                        + result.getThrowable().map(e -> " " + e.getMessage()).orElse(""));
              }
            });
  }

  private static String jarOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
