package io.txwatch.jdbc;

import java.lang.StackWalker.StackFrame;
import java.lang.ref.WeakReference;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the driver behind a URL. {@link DriverManager} knows those that somebody has registered and
 * that our own class loader sees. In a servlet container, or in any application with class loaders
 * of its own, that may be none: then the service files are read of the thread's context class
 * loader, of the loaders of the classes that called, the nearest first, and of our own.
 *
 * <p>Drivers that were found so are kept as long as somebody else needs them, and so is their class
 * loader.
 */
final class DriverFinder {

  /** A service file that is broken throughout gives an error at each step. */
  private static final int MAX_ERRORS = 16;

  /** Frames of the caller that are examined. */
  private static final int MAX_FRAMES = 256;

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** The driver that a loader gave last. */
  private static final Map<ClassLoader, WeakReference<Driver>> LATEST = new WeakHashMap<>();

  private DriverFinder() {}

  /** The driver that accepts a URL; empty if there is none. */
  static Optional<Driver> find(String url) {
    try {
      return Optional.of(DriverManager.getDriver(url));
    } catch (SQLException notRegistered) {
      return findUnregistered(url);
    }
  }

  private static Optional<Driver> findUnregistered(String url) {
    Set<ClassLoader> loaders = loaders();
    for (ClassLoader loader : loaders) {
      Driver latest = latest(loader);
      if (latest != null && accepts(latest, url)) {
        return Optional.of(latest);
      }
    }
    for (ClassLoader loader : loaders) {
      Driver found = load(loader, url);
      if (found != null) {
        synchronized (LATEST) {
          LATEST.put(loader, new WeakReference<>(found));
        }
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  private static @Nullable Driver latest(ClassLoader loader) {
    synchronized (LATEST) {
      WeakReference<Driver> latest = LATEST.get(loader);
      return latest == null ? null : latest.get();
    }
  }

  private static Set<ClassLoader> loaders() {
    Set<ClassLoader> loaders = new LinkedHashSet<>();
    loaders.add(Thread.currentThread().getContextClassLoader());
    WALKER.walk(
        frames -> {
          frames
              .limit(MAX_FRAMES)
              .map(StackFrame::getDeclaringClass)
              .map(Class::getClassLoader)
              .forEach(loaders::add);
          return loaders;
        });
    ClassLoader ours = DriverFinder.class.getClassLoader();
    loaders.remove(ours); // it is on the stack, and used last
    loaders.add(ours);
    loaders.removeIf(Objects::isNull);
    return loaders;
  }

  /** Asks one driver after another: one that is broken does not hide those behind it. */
  private static @Nullable Driver load(ClassLoader loader, String url) {
    Iterator<Driver> drivers = ServiceLoader.load(Driver.class, loader).iterator();
    for (int errors = 0; errors < MAX_ERRORS; ) {
      try {
        if (!drivers.hasNext()) {
          return null;
        }
        Driver driver = drivers.next();
        if (accepts(driver, url)) {
          return driver;
        }
      } catch (ServiceConfigurationError | LinkageError e) {
        errors++;
      }
    }
    return null;
  }

  private static boolean accepts(Driver driver, String url) {
    try {
      return driver.acceptsURL(url);
    } catch (SQLException | RuntimeException e) {
      return false;
    }
  }
}
