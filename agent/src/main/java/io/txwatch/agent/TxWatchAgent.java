package io.txwatch.agent;

import io.txwatch.jdbc.ConnectionWatcher;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.sql.Driver;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.CommonDataSource;
import org.jspecify.annotations.Nullable;

/**
 * The agent's entry points. Whatever goes wrong here is one line on standard error, and the
 * application starts unwatched: an observer must not be what keeps a service down.
 */
public final class TxWatchAgent {

  private static final AtomicBoolean INSTALLED = new AtomicBoolean();

  private TxWatchAgent() {}

  /** {@code -javaagent:txwatch.jar=key=value,…}: before the application's main method. */
  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    start(arguments, instrumentation);
  }

  /** Attached to a JVM that runs: connections that are opened from now on are watched. */
  public static void agentmain(@Nullable String arguments, Instrumentation instrumentation) {
    start(arguments, instrumentation);
  }

  private static void start(@Nullable String arguments, Instrumentation instrumentation) {
    try {
      Optional<ConnectionWatcher> watcher =
          ConnectionWatcher.ofAgentArguments(arguments == null ? "" : arguments);
      if (watcher.isEmpty() || !INSTALLED.compareAndSet(false, true)) {
        return;
      }
      DriverCalls.watchWith(watcher.get());
      instrumentation.addTransformer(new DriverTransformer(), true);
      transformLoaded(instrumentation);
    } catch (IllegalArgumentException e) {
      say(String.valueOf(e.getMessage()));
    } catch (Throwable e) { // LinkageError too: a runtime image without java.sql, say
      say(e.toString());
    }
  }

  private static void transformLoaded(Instrumentation instrumentation)
      throws UnmodifiableClassException {
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if ((Driver.class.isAssignableFrom(loaded) || CommonDataSource.class.isAssignableFrom(loaded))
          && !loaded.isInterface()
          && instrumentation.isModifiableClass(loaded)) {
        instrumentation.retransformClasses(loaded);
      }
    }
  }

  private static void say(String why) {
    System.err.println(
        "txwatch: the application runs unwatched: " + why.strip().replaceAll("\\s+", " "));
  }
}
