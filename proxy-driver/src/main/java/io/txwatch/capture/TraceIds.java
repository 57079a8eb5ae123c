package io.txwatch.capture;

import io.txwatch.history.TraceId;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The trace that the calling thread is part of: that of OpenTelemetry's current span, or else what
 * SLF4J's MDC has under {@code trace_id} (OpenTelemetry's appenders) or {@code traceId}
 * (Micrometer, Brave).
 *
 * <p>The libraries are those that the thread's context class loader sees, or, where only
 * OpenTelemetry's Java agent is there, the agent's own. They are looked up once for each class
 * loader. Where there are none, a call compares two references. It never allocates memory unless
 * the libraries do. Class loaders are referenced weakly, so that an application can be unloaded.
 */
final class TraceIds {

  private static final Map<ClassLoader, Tracers> KNOWN =
      Collections.synchronizedMap(new WeakHashMap<>());

  private static volatile Tracers recent = new Tracers(new WeakReference<>(null), new Tracer[0]);

  private TraceIds() {}

  /**
   * The tracers of an application.
   *
   * @param loader its class loader
   * @param tracers in the order in which they are consulted
   */
  private record Tracers(WeakReference<ClassLoader> loader, Tracer[] tracers) {

    String traceId() {
      for (Tracer tracer : tracers) {
        String traceId = tracer.traceId();
        if (!traceId.isEmpty()) {
          return TraceId.limited(traceId);
        }
      }
      return "";
    }
  }

  /** The id of the calling thread's trace; empty if it is part of none. Never throws. */
  static String current() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = context == null ? ClassLoader.getSystemClassLoader() : context;
    Tracers tracers = recent;
    if (!tracers.loader.refersTo(loader)) {
      tracers = of(loader);
      recent = tracers;
    }
    return tracers.traceId();
  }

  private static Tracers of(ClassLoader loader) {
    Tracers known = KNOWN.get(loader);
    if (known == null) {
      // Not under the map's lock: class loaders have locks of their own.
      known = new Tracers(new WeakReference<>(loader), Tracer.of(loader));
      KNOWN.put(loader, known);
    }
    return known;
  }
}
