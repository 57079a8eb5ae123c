package io.txwatch.capture;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A library of the application that knows the trace of the calling thread, found by name.
 *
 * <p>A library is never initialized from here, which could come too early for the application: what
 * it configures before its own first use would be ignored. Both libraries record in a field whether
 * they are initialized; without access to it they are not used.
 *
 * <p>The handles are stored with the library's class and referenced weakly from here, so that they
 * live exactly as long as the class.
 */
abstract sealed class Tracer {

  /** Concatenated, so that the relocation of packages does not change them. */
  private static final String OPENTELEMETRY = String.join(".", "io", "opentelemetry");

  private static final String SLF4J = String.join(".", "org", "slf4j");

  /** OpenTelemetry's Java agent has its own copy of the library, for all class loaders. */
  private static final String IN_JAVA_AGENT = OPENTELEMETRY + ".javaagent.shaded." + OPENTELEMETRY;

  private static final MethodType TEXT = MethodType.methodType(String.class);

  /** A library's handles: its state, and the trace id. An array, since it is a class of the JDK. */
  private static final ClassValue<MethodHandle[]> HANDLES =
      new ClassValue<>() {
        @Override
        protected MethodHandle[] computeValue(Class<?> entry) {
          try {
            return entry.getName().startsWith(SLF4J) ? mdc(entry) : span(entry);
          } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return new MethodHandle[0]; // another version, or a module that is not open
          }
        }
      };

  final WeakReference<MethodHandle[]> handles;

  private Tracer(Class<?> entry) {
    this.handles = new WeakReference<>(HANDLES.get(entry));
  }

  /** Those that a class loader sees, in the order in which they are consulted. */
  static Tracer[] of(ClassLoader loader) {
    List<Tracer> found = new ArrayList<>();
    find(OPENTELEMETRY + ".api.trace.Span", loader).map(OpenTelemetry::new).ifPresent(found::add);
    find(IN_JAVA_AGENT + ".api.trace.Span", null).map(OpenTelemetry::new).ifPresent(found::add);
    find(SLF4J + ".MDC", loader).map(Mdc::new).ifPresent(found::add);
    return found.toArray(Tracer[]::new);
  }

  private static java.util.Optional<Class<?>> find(String name, @Nullable ClassLoader loader) {
    try {
      return java.util.Optional.of(Class.forName(name, false, loader));
    } catch (ClassNotFoundException | RuntimeException | LinkageError e) {
      return java.util.Optional.empty();
    }
  }

  private static MethodHandle[] span(Class<?> span) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    String root = span.getName().replace(".api.trace.Span", "");
    Class<?> context = Class.forName(root + ".api.trace.SpanContext", false, span.getClassLoader());
    MethodHandle traceId =
        MethodHandles.filterReturnValue(
            MethodHandles.filterReturnValue(
                lookup.findStatic(span, "current", MethodType.methodType(span)),
                lookup.findVirtual(span, "getSpanContext", MethodType.methodType(context))),
            lookup.findVirtual(context, "getTraceId", TEXT));
    Class<?> storage =
        Class.forName(root + ".context.ContextStorageWrappers", false, span.getClassLoader());
    return new MethodHandle[] {getter(storage, "storageInitialized", boolean.class), traceId};
  }

  private static MethodHandle[] mdc(Class<?> mdc) throws ReflectiveOperationException {
    Class<?> factory = Class.forName(SLF4J + ".LoggerFactory", false, mdc.getClassLoader());
    return new MethodHandle[] {
      getter(factory, "INITIALIZATION_STATE", int.class),
      MethodHandles.publicLookup()
          .findStatic(mdc, "get", MethodType.methodType(String.class, String.class))
    };
  }

  private static MethodHandle getter(Class<?> of, String name, Class<?> type)
      throws ReflectiveOperationException {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return MethodHandles.lookup().unreflectGetter(field).asType(MethodType.methodType(type));
  }

  /** The id of the calling thread's trace; empty if there is none. */
  final String traceId() {
    MethodHandle[] known = handles.get();
    if (known == null || known.length == 0) {
      return "";
    }
    try {
      return traceId(known[0], known[1]);
    } catch (Throwable e) { // the application's statement must not fail
      return "";
    }
  }

  abstract String traceId(MethodHandle state, MethodHandle get) throws Throwable;

  /** OpenTelemetry's API. */
  private static final class OpenTelemetry extends Tracer {

    /** The id of a span that is none. */
    private static final String INVALID = "0".repeat(32);

    OpenTelemetry(Class<?> span) {
      super(span);
    }

    @Override
    String traceId(MethodHandle isInitialized, MethodHandle get) throws Throwable {
      if (!(boolean) isInitialized.invokeExact()) {
        return "";
      }
      String traceId = (String) get.invokeExact();
      return traceId.equals(INVALID) ? "" : traceId;
    }
  }

  /** SLF4J's mapped diagnostic context. */
  private static final class Mdc extends Tracer {

    /** {@code LoggerFactory.SUCCESSFUL_INITIALIZATION}: there is a provider. */
    private static final int INITIALIZED = 3;

    Mdc(Class<?> mdc) {
      super(mdc);
    }

    @Override
    String traceId(MethodHandle state, MethodHandle get) throws Throwable {
      if ((int) state.invokeExact() != INITIALIZED) {
        return "";
      }
      String traceId = (@Nullable String) get.invokeExact("trace_id");
      if (traceId == null || traceId.isEmpty()) {
        traceId = (@Nullable String) get.invokeExact("traceId");
      }
      return traceId == null ? "" : traceId;
    }
  }
}
