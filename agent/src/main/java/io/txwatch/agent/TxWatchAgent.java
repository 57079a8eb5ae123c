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
 * The agent's entry points. A failure here is reported in one line on standard error, and the
 * application starts unwatched: txwatch must not prevent a service from starting, unless {@code
 * txwatch.strict} is on.
 */
public final class TxWatchAgent {

  /** The system property that {@code attach} reads: set in a process in which the agent runs. */
  public static final String RUNNING = "io.txwatch.agent.running";

  /**
   * The system property that {@code attach} reads: the level that was set in a process in which the
   * agent ran already.
   */
  public static final String LEVEL = "io.txwatch.agent.level";

  /**
   * The system property that {@code attach} reads: a line about connections that do not follow the
   * level that was set last; empty if all do.
   */
  public static final String EXCEPTIONS = "io.txwatch.agent.level.exceptions";

  /** The exit code of txwatch's commands for bad input, too. */
  private static final int BAD_INPUT = 2;

  private static final AtomicBoolean INSTALLED = new AtomicBoolean();

  private TxWatchAgent() {}

  /** {@code -javaagent:txwatch.jar=key=value,…}: before the application's main method. */
  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    try {
      start(arguments, instrumentation);
    } catch (StrictStartException e) {
      System.err.println("txwatch: " + e.getMessage());
      System.exit(BAD_INPUT);
    }
  }

  /**
   * Attached to a running JVM: connections opened from now on are watched. If the agent runs
   * already, they are watched at the level that the arguments state.
   *
   * @throws StrictStartException if it does not start and {@code txwatch.strict} is on
   */
  public static void agentmain(@Nullable String arguments, Instrumentation instrumentation) {
    if (isInstalled() && arguments != null && !arguments.isBlank()) {
      changeLevel(arguments);
    } else if (isInstalled() || System.getProperty(RUNNING) == null) {
      start(arguments, instrumentation);
    } else {
      System.err.println("txwatch: the agent of another class loader runs already, and stays.");
    }
  }

  private static void changeLevel(String arguments) {
    try {
      String level = ConnectionWatcher.changeLevel(arguments);
      System.setProperty(EXCEPTIONS, ConnectionWatcher.exceptionsFromLevel());
      System.setProperty(LEVEL, level);
    } catch (IllegalArgumentException e) {
      System.err.println("txwatch: its settings stay as they are: " + e.getMessage());
    }
  }

  static boolean isInstalled() {
    return INSTALLED.get();
  }

  static void start(@Nullable String arguments, Instrumentation instrumentation) {
    String given = arguments == null ? "" : arguments;
    try {
      if (isInstalled()) {

        System.err.println(
            "txwatch: the agent runs already. Its settings stay as they are, and those that were"
                + " given again are ignored.");
        return;
      }
      Optional<ConnectionWatcher> watcher = ConnectionWatcher.ofAgentArguments(given);
      if (watcher.isEmpty() || !INSTALLED.compareAndSet(false, true)) {
        return;
      }
      System.setProperty(RUNNING, "true");
      DriverCalls.setWatcher(watcher.get());
      instrumentation.addTransformer(new DriverTransformer(), true);
      transformLoaded(instrumentation);
      watcher.get().openGate();
    } catch (IllegalArgumentException e) {
      failed(given, String.valueOf(e.getMessage()));
    } catch (Throwable e) { // LinkageError too: a runtime image for example without java.sql
      failed(given, e.toString());
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

  private static void failed(String arguments, String why) {
    String reason = why.strip().replaceAll("\\s+", " ");
    if (ConnectionWatcher.isStrict(arguments)) {
      throw new StrictStartException("it does not start, and txwatch.strict=on: " + reason);
    }
    System.err.println("txwatch: the application runs unwatched: " + reason);
  }
}
