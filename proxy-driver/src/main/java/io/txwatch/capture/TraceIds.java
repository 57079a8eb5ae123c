package io.txwatch.capture;

import io.txwatch.history.TraceId;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The trace that the calling thread is part of: that of OpenTelemetry's current span, or else what
 * SLF4J's MDC has under {@code trace_id} (OpenTelemetry's appenders) or {@code traceId}
 * (Micrometer, Brave).
 *
 * <p>The libraries are those that the thread's context class loader sees, or, where only
 * OpenTelemetry's Java agent is there, the agent's own. They are looked up once for each class
 * loader. A call takes no lock and never allocates memory unless the libraries do, however many
 * applications there are. Class loaders are referenced weakly, so that an application can be
 * unloaded.
 */
final class TraceIds {

  /**
   * The tracers of all class loaders: a hash table with linear probing, at least half of it empty.
   * It is replaced, never changed.
   */
  private static volatile @Nullable Tracers[] known = new Tracers[2];

  private TraceIds() {}

  /**
   * The tracers of an application.
   *
   * @param loader its class loader
   * @param hash the identity hash code of the class loader
   * @param tracers in the order in which they are consulted
   */
  private record Tracers(WeakReference<ClassLoader> loader, int hash, Tracer[] tracers) {

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
    return of(context == null ? ClassLoader.getSystemClassLoader() : context).traceId();
  }

  private static Tracers of(ClassLoader loader) {
    @Nullable Tracers[] table = known;
    int hash = System.identityHashCode(loader);
    Tracers found;
    for (int i = hash; (found = table[i & (table.length - 1)]) != null; i++) {
      if (found.loader.refersTo(loader)) {
        return found;
      }
    }
    Tracers added = new Tracers(new WeakReference<>(loader), hash, Tracer.of(loader));
    add(added, loader);
    return added;
  }

  /** Adds the entry of a class loader, and drops those of class loaders that no longer exist. */
  private static synchronized void add(Tracers added, ClassLoader loader) {
    List<Tracers> live = new ArrayList<>(List.of(added));
    for (Tracers each : known) {
      if (each != null && !each.loader.refersTo(null) && !each.loader.refersTo(loader)) {
        live.add(each);
      }
    }
    @Nullable Tracers[] table = new Tracers[Integer.highestOneBit(live.size()) * 4];
    for (Tracers each : live) {
      int i = each.hash;
      while (table[i & (table.length - 1)] != null) {
        i++;
      }
      table[i & (table.length - 1)] = each;
    }
    known = table;
  }
}
