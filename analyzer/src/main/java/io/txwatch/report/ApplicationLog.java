package io.txwatch.report;

import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The application's own log: {@code txwatch.log=slf4j}. The application's slf4j is found by name,
 * through the application's class loader, since txwatch brings none of its own. Without slf4j, or
 * with one that drops everything, {@link java.util.logging} is used.
 */
public final class ApplicationLog implements LogTarget {

  static final String NAME = "io.txwatch";

  /** Concatenated, so that the relocation of packages does not change it. */
  private static final String SLF4J = String.join(".", "org", "slf4j");

  private final Supplier<@Nullable ClassLoader> application;
  private final PrintStream stderr;
  private @Nullable LogTarget found;

  /**
   * A log that is looked up at its first use, and again after {@link #release}. For one thread at a
   * time.
   *
   * @param application the application's class loader; null for the one that the JVM started with
   * @param stderr for what can be logged no more
   */
  public ApplicationLog(Supplier<@Nullable ClassLoader> application, PrintStream stderr) {
    this.application = application;
    this.stderr = stderr;
  }

  private LogTarget target() {
    LogTarget known = found;
    if (known == null) {
      known = of(application.get(), stderr);
      found = known;
    }
    return known;
  }

  /** References no class of the application until the next use. */
  public void release() {
    found = null;
  }

  @Override
  public void warn(String text) {
    target().warn(text);
  }

  @Override
  public void info(String text) {
    target().info(text);
  }

  @Override
  public void last(String text) {
    target().last(text);
  }

  /**
   * The log of the application that a class loader belongs to.
   *
   * @param loader the application's class loader; null for the JVM's initial one
   * @param stderr receives what can no longer be logged
   */
  static LogTarget of(@Nullable ClassLoader loader, PrintStream stderr) {
    ClassLoader application = loader == null ? ClassLoader.getSystemClassLoader() : loader;
    return slf4j(application, stderr).orElseGet(() -> new JavaLog(stderr));
  }

  private static Optional<LogTarget> slf4j(ClassLoader application, PrintStream stderr) {
    try {
      Class<?> factory = Class.forName(SLF4J + ".LoggerFactory", true, application);
      Class<?> logger = Class.forName(SLF4J + ".Logger", true, application);
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Object found =
          lookup
              .findStatic(factory, "getLogger", MethodType.methodType(logger, String.class))
              .invoke(NAME);
      if (found
          .getClass()
          .getSimpleName()
          .equals("NOPLogger")) { // no provider: it drops everything
        return Optional.empty();
      }
      MethodType ofText = MethodType.methodType(void.class, String.class);
      return Optional.of(
          new Slf4j(
              lookup.findVirtual(logger, "warn", ofText).bindTo(found),
              lookup.findVirtual(logger, "info", ofText).bindTo(found),
              stderr));
    } catch (Throwable e) { // missing or unusable: java.util.logging remains
      return Optional.empty();
    }
  }

  /** A text as one message, without the newline at its end. */
  private static String message(String text) {
    return text.stripTrailing();
  }

  /** A logger of the application's slf4j. */
  private record Slf4j(MethodHandle warn, MethodHandle info, PrintStream stderr)
      implements LogTarget {

    @Override
    public void warn(String text) {
      log(warn, text);
    }

    @Override
    public void info(String text) {
      log(info, text);
    }

    private void log(MethodHandle method, String text) {
      try {
        method.invoke(message(text));
      } catch (Throwable e) { // the application was unloaded, for example
        stderr.print(text);
      }
    }
  }

  private static final class JavaLog implements LogTarget {

    /** A strong reference, since loggers are garbage-collected. */
    private final Logger logger = Logger.getLogger(NAME);

    private final PrintStream stderr;

    JavaLog(PrintStream stderr) {
      this.stderr = stderr;
    }

    @Override
    public void warn(String text) {
      logger.logp(Level.WARNING, NAME, "", message(text));
    }

    @Override
    public void info(String text) {
      logger.logp(Level.INFO, NAME, "", message(text));
    }

    /** At shutdown java.util.logging closes its handlers, before or after us. */
    @Override
    public void last(String text) {
      if (hasHandlers()) {
        info(text);
      } else {
        stderr.print(text);
      }
    }

    private boolean hasHandlers() {
      for (Logger at = logger; at != null; at = at.getUseParentHandlers() ? at.getParent() : null) {
        if (at.getHandlers().length > 0) {
          return true;
        }
      }
      return false;
    }
  }
}
