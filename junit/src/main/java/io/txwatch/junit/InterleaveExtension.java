package io.txwatch.junit;

import io.txwatch.interleave.Interleaved;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Executes the operations of an {@link InterleaveTest}. */
public final class InterleaveExtension implements TestTemplateInvocationContextProvider {

  /** The configuration parameter with the folder of schedules that showed a race. */
  public static final String FOLDER = "txwatch.junit.interleavings";

  private static final Path TESTS = Path.of("src", "test");

  /** Created by JUnit. */
  public InterleaveExtension() {}

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return context
        .getTestMethod()
        .map(m -> m.isAnnotationPresent(InterleaveTest.class))
        .orElse(false);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    TxWatchExtension.attach(context);
    return Stream.of(new Invocation());
  }

  /** One line of JUnit's report, whatever the number of orders. */
  private static final class Invocation implements TestTemplateInvocationContext {
    @Override
    public String getDisplayName(int invocationIndex) {
      return "every order";
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(new Run());
    }
  }

  private static final class Run implements ParameterResolver, AfterTestExecutionCallback {
    private final Interleaving interleaving = new Interleaving();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Interleaving.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return interleaving;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) throws InterruptedException {
      if (context.getExecutionException().isPresent()) {
        return;
      }
      InterleaveTest test = context.getRequiredTestMethod().getAnnotation(InterleaveTest.class);
      if (!interleaving.hasReset()) {
        resetByBeforeEach(context);
      }
      file(context).ifPresent(interleaving.interleaver()::keep);
      Interleaved found =
          interleaving
              .interleaver()
              .times(test.times())
              .preemptions(test.preemptions())
              .executions(test.executions())
              .run();
      if (found.verdict() != test.expect()) {
        throw new AssertionError(found.toString());
      }
    }

    /** Where the schedule of the test is kept; empty if there is no such folder. */
    private static Optional<Path> file(ExtensionContext context) {
      String name =
          context.getRequiredTestClass().getName()
              + "."
              + context.getRequiredTestMethod().getName()
              + ".txt";
      return context
          .getConfigurationParameter(FOLDER)
          .map(Path::of)
          .or(
              () ->
                  Files.isDirectory(TESTS)
                      ? Optional.of(TESTS.resolve("interleavings"))
                      : Optional.empty())
          .map(folder -> folder.resolve(name));
    }

    /** Calls the methods of the classes around a nested one, too, as JUnit does. */
    private void resetByBeforeEach(ExtensionContext context) {
      List<Runnable> calls = new ArrayList<>();
      for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
        for (Method method :
            ReflectionSupport.findMethods(
                instance.getClass(),
                one -> one.isAnnotationPresent(BeforeEach.class),
                HierarchyTraversalMode.TOP_DOWN)) {
          if (method.getParameterCount() > 0) {
            throw new IllegalStateException(
                "txwatch: "
                    + method.getName()
                    + " has parameters and cannot be called before every execution; give"
                    + " Interleaving.reset");
          }
          calls.add(() -> ReflectionSupport.invokeMethod(method, instance));
        }
      }
      if (!calls.isEmpty()) {
        interleaving.interleaver().reset(() -> calls.forEach(Runnable::run));
      }
    }
  }
}
