package io.txwatch.junit;

import io.txwatch.TxWatch;
import io.txwatch.TxWatchReport;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.document.DocumentFormat;
import io.txwatch.document.SourceFiles;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Fails tests in which an anomaly occurs, as {@link WatchTransactions} demands.
 *
 * <p>With {@code junit.jupiter.extensions.autodetection.enabled=true} it is there for all tests:
 * those without the annotation are watched if the configuration parameter {@value #ALL_TESTS} is
 * {@code hazard} or {@code violation}, their {@link WatchTransactions#failOn}. They may run at the
 * same time; an anomaly then fails each test that was running when it was found.
 *
 * <p>The report of a failed test is attached to it, as a page for browsers.
 */
public final class TxWatchExtension
    implements BeforeAllCallback,
        BeforeEachCallback,
        BeforeTestExecutionCallback,
        AfterTestExecutionCallback,
        AfterEachCallback {

  /** The configuration parameter that watches tests without the annotation. */
  public static final String ALL_TESTS = "txwatch.junit.fail-on";

  /** The configuration parameter that predicts races from tests without the annotation. */
  public static final String PREDICT_ALL_TESTS = "txwatch.junit.predict";

  /** The configuration parameter that, set to {@code false}, leaves out attaching the agent. */
  public static final String ATTACH = "txwatch.junit.attach";

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TxWatchExtension.class);

  private static final String NOT_WATCHED =
      "txwatch: no statement of a watched connection was executed in this test. Connections are"
          + " watched that are opened after the agent was attached: start the JVM with"
          + " -javaagent:txwatch.jar if they are opened earlier. (requireStatements = false accepts"
          + " such tests.)";

  private static final String INCOMPLETE =
      "txwatch: the analysis of this test did not end within "
          + TxWatch.DEFAULT_TIMEOUT.toSeconds()
          + " s";

  /** Created by JUnit. */
  public TxWatchExtension() {}

  /** What a test may not do. */
  private record Demand(Verdict failOn, Set<Phenomenon> ignored, boolean requireStatements) {

    boolean isBrokenBy(Anomaly anomaly) {
      return anomaly.verdict().compareTo(failOn) <= 0 && !ignored.contains(anomaly.phenomenon());
    }
  }

  /** A test that runs. */
  private record RunningTest(Demand demand, FoundDuringTest found, long statementsBefore) {}

  @Override
  public void beforeAll(ExtensionContext context) {
    if (mayBeWatched(context)) {
      attach(context);
    }
    if (isPredicted(context)) {
      attach(context);
      SuiteOperations.INSTANCE.listen();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Optional<Demand> demand = demand(context);
    if (demand.isEmpty()) {
      return;
    }
    attach(context);
    TxWatchReport before = TxWatch.report(); // what others did before is not this test's
    store(context)
        .put(
            RunningTest.class,
            new RunningTest(demand.get(), FoundDuringTest.begin(), before.coverage().statements()));
  }

  @Override
  public void beforeTestExecution(ExtensionContext context) {
    if (isPredicted(context)) {
      attach(context);
      SuiteOperations.INSTANCE.listen();
      SuiteOperations.INSTANCE.testBegins(
          context.getUniqueId(), context.getRequiredTestClass(), context.getRequiredTestMethod());
    }
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (isPredicted(context)) {
      SuiteOperations.INSTANCE.testEnded(context.getUniqueId());
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    RunningTest test = store(context).remove(RunningTest.class, RunningTest.class);
    if (test == null) {
      return;
    }
    TxWatchReport after = TxWatch.report();
    FoundDuringTest found = test.found();
    found.end();
    List<Anomaly> broken =
        baseline(context)
            .notAccepted(found.confirmed().stream().filter(test.demand()::isBrokenBy).toList());
    if (!broken.isEmpty()) {
      AssertionError failure = new AssertionError(FoundDuringTest.text(broken));
      attachReport(context, found, after, failure);
      throw failure;
    }
    if (!after.complete()) {
      throw new AssertionError(INCOMPLETE);
    }
    if (test.demand().requireStatements()
        && after.coverage().statements() == test.statementsBefore()) {
      throw new AssertionError(NOT_WATCHED);
    }
  }

  /** Read once for all tests of a run. */
  private static SuiteBaseline baseline(ExtensionContext context) {
    return Objects.requireNonNull(
        store(context.getRoot())
            .getOrComputeIfAbsent(
                SuiteBaseline.class, key -> SuiteBaseline.ofSettings(), SuiteBaseline.class));
  }

  private static void attachReport(
      ExtensionContext context,
      FoundDuringTest found,
      TxWatchReport after,
      AssertionError failure) {
    String page =
        DocumentFormat.HTML.write(
            found.report(context.getDisplayName(), after.coverage()), SourceFiles.NONE);
    try {
      context.publishDirectory(
          "txwatch", directory -> Files.writeString(directory.resolve("report.html"), page));
    } catch (NoSuchMethodError e) {
      // Before JUnit 5.12 tests have no attachments; the message has it all.
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  // ---------------------------------------------------------------- what is watched

  /** What a test may not do; empty if it is not watched. */
  private static Optional<Demand> demand(ExtensionContext context) {
    return annotation(context)
        .map(a -> new Demand(a.failOn(), Set.of(a.ignore()), a.requireStatements()))
        .or(() -> forAllTests(context).map(failOn -> new Demand(failOn, Set.of(), false)));
  }

  /** The nearest annotation: of the method, its class, or a class around it. */
  private static Optional<WatchTransactions> annotation(ExtensionContext context) {
    for (Optional<ExtensionContext> at = Optional.of(context);
        at.isPresent();
        at = at.get().getParent()) {
      Optional<WatchTransactions> found =
          AnnotationSupport.findAnnotation(at.get().getElement(), WatchTransactions.class);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static boolean mayBeWatched(ExtensionContext context) {
    return forAllTests(context).isPresent() || annotation(context).isPresent();
  }

  private static Optional<Verdict> forAllTests(ExtensionContext context) {
    return context
        .getConfigurationParameter(ALL_TESTS)
        .map(
            value ->
                switch (value.strip()) {
                  case "hazard" -> Verdict.HAZARD;
                  case "violation" -> Verdict.VIOLATION;
                  default ->
                      throw new IllegalArgumentException(
                          ALL_TESTS + "=" + value + ": expected hazard or violation");
                });
  }

  /** Operations of an {@link InterleaveTest} are proven, rather than predicted. */
  private static boolean isPredicted(ExtensionContext context) {
    if (context
        .getTestMethod()
        .map(m -> m.isAnnotationPresent(InterleaveTest.class))
        .orElse(false)) {
      return false;
    }
    return annotation(context).map(WatchTransactions::predict).orElse(false)
        || context.getConfigurationParameter(PREDICT_ALL_TESTS).map(Boolean::valueOf).orElse(false);
  }

  static void attach(ExtensionContext context) {
    if (context.getConfigurationParameter(ATTACH).map(Boolean::valueOf).orElse(true)) {
      AttachedAgent.attach();
    }
  }

  private static ExtensionContext.Store store(ExtensionContext context) {
    return context.getStore(NAMESPACE);
  }
}
