package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.File;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The trace ids that OpenTelemetry's API gives, in this class loader and in others. */
class TraceIdsTest {

  private static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

  /** An application with an OpenTelemetry of its own, such as a web application. */
  private static URLClassLoader application() throws MalformedURLException {
    List<URL> jars = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (entry.contains("opentelemetry")) {
        jars.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /** Runs in a thread of an application. */
  private static <T> T in(ClassLoader application, Callable<T> work)
      throws InterruptedException, ExecutionException {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task);
    thread.setContextClassLoader(application);
    thread.start();
    return task.get();
  }

  /** Makes a span current by the application's own classes. */
  private static AutoCloseable spanOf(ClassLoader application) throws Exception {
    Class<?> context = application.loadClass("io.opentelemetry.api.trace.SpanContext");
    Class<?> flags = application.loadClass("io.opentelemetry.api.trace.TraceFlags");
    Class<?> state = application.loadClass("io.opentelemetry.api.trace.TraceState");
    Object id =
        context
            .getMethod("create", String.class, String.class, flags, state)
            .invoke(
                null,
                TRACE_ID,
                "00f067aa0ba902b7",
                flags.getMethod("getDefault").invoke(null),
                state.getMethod("getDefault").invoke(null));
    Class<?> span = application.loadClass("io.opentelemetry.api.trace.Span");
    Method makeCurrent =
        application
            .loadClass("io.opentelemetry.context.ImplicitContextKeyed")
            .getMethod("makeCurrent");
    return (AutoCloseable) makeCurrent.invoke(span.getMethod("wrap", context).invoke(null, id));
  }

  private static boolean isInitialized(ClassLoader application) throws Exception {
    Field field =
        application
            .loadClass("io.opentelemetry.context.ContextStorageWrappers")
            .getDeclaredField("storageInitialized");
    field.setAccessible(true);
    return field.getBoolean(null);
  }

  /** Tracers of OpenTelemetry's SDK. Without a processor they make no spans. */
  private static SdkTracerProvider tracers() {
    return SdkTracerProvider.builder()
        .addSpanProcessor(SimpleSpanProcessor.create(SpanExporter.composite()))
        .build();
  }

  @Test
  void traceOfTheCurrentSpanIsThatOfTheTransaction() {
    try (SdkTracerProvider tracers = tracers()) {
      Span span = tracers.get("shop").spanBuilder("sell").startSpan();
      try (Scope scope = span.makeCurrent()) {
        assertThat(TraceIds.current()).hasSize(32).isEqualTo(span.getSpanContext().getTraceId());
      } finally {
        span.end();
      }
      assertThat(TraceIds.current()).as("no span").isEmpty();
    }
  }

  @Test
  void spanIsThatOfTheThreadsApplication() throws Exception {
    try (URLClassLoader application = application();
        URLClassLoader other = application()) {
      String traceId =
          in(
              application,
              () -> {
                try (AutoCloseable scope = spanOf(application)) {
                  return TraceIds.current();
                }
              });
      String ofOther =
          in(
              other,
              () -> {
                try (AutoCloseable scope = spanOf(application)) {
                  return TraceIds.current();
                }
              });

      assertThat(traceId).isEqualTo(TRACE_ID);
      assertThat(ofOther).isEmpty();
    }
  }

  /** The application may still add to the storage of contexts, which must precede its first use. */
  @Test
  void libraryThatTheApplicationHasNotUsedIsNotInitialized() throws Exception {
    try (URLClassLoader application = application()) {
      assertThat(in(application, TraceIds::current)).isEmpty();
      assertThat(isInitialized(application)).isFalse();

      AutoCloseable scope = in(application, () -> spanOf(application));
      assertThat(scope).isNotNull();
      assertThat(isInitialized(application)).isTrue();
    }
  }

  @Test
  void applicationWithoutLibrariesHasNoTraces() throws Exception {
    assertThat(in(ClassLoader.getPlatformClassLoader(), TraceIds::current)).isEmpty();
    assertThat(in(new URLClassLoader(new URL[0], null), TraceIds::current)).isEmpty();
  }

  /** The table grows several times; a third of the applications end meanwhile. */
  @Test
  void eachOfManyApplicationsHasItsOwnTrace() throws Exception {
    List<URLClassLoader> applications = new ArrayList<>();
    for (int i = 0; i < 48; i++) {
      URLClassLoader application = application();
      assertThat(in(application, TraceIds::current)).isEmpty();
      if (i % 3 != 0) {
        applications.add(application);
      }
    }
    for (URLClassLoader application : applications.subList(0, 2)) {
      AutoCloseable[] scope = new AutoCloseable[1];
      assertThat(
              in(
                  application,
                  () -> {
                    scope[0] = spanOf(application);
                    List<String> seen = new ArrayList<>();
                    for (URLClassLoader each : applications) {
                      Thread.currentThread().setContextClassLoader(each);
                      if (!TraceIds.current().isEmpty()) {
                        seen.add(each == application ? TraceIds.current() : "of another");
                      }
                    }
                    return seen;
                  }))
          .containsExactly(TRACE_ID);
      assertThat(scope[0]).isNotNull();
    }
  }

  @Test
  void applicationCanBeUnloaded() throws Exception {
    WeakReference<ClassLoader> application = new WeakReference<>(usedApplication());
    Awaitility.await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(application.get()).isNull();
            });
  }

  private static ClassLoader usedApplication() throws Exception {
    URLClassLoader application = application();
    String traceId =
        in(
            application,
            () -> {
              try (AutoCloseable scope = spanOf(application)) {
                return TraceIds.current();
              }
            });
    assertThat(traceId).isEqualTo(TRACE_ID);
    assertThat(in(ClassLoader.getPlatformClassLoader(), TraceIds::current)).isEmpty();
    return application;
  }
}
