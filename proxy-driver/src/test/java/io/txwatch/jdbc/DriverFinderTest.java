package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.example.loaders.Caller;
import org.example.loaders.Opener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drivers that nobody has registered, in class loaders as servlet containers have them. */
class DriverFinderTest {

  // By the last name: the folder that all of it is in may have any.
  private static final Predicate<String> IS_DRIVER = entry -> fileName(entry).startsWith("h2-");
  private static final Predicate<String> IS_APPLICATION =
      entry -> fileName(entry).equals("test-classes");
  private static final Predicate<String> IS_OTHER_DRIVER =
      entry ->
          fileName(entry)
              .matches("(postgresql|mysql-connector-j|mariadb-java-client|sqlite-jdbc|p6spy)-.*");

  private static String fileName(String entry) {
    return Path.of(entry).getFileName().toString();
  }

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @TempDir private Path directory = Path.of("");

  @AfterEach
  void contextAsItWas() {
    Thread.currentThread().setContextClassLoader(before);
  }

  @Test
  void driverAndTxwatchInOneChildLoader() throws Exception {
    try (URLClassLoader child = loader(entry -> true, platform())) {
      assertWatches(child);
    }
  }

  @Test
  void txwatchInTheParentLoaderAndTheDriverInTheChild() throws Exception {
    try (URLClassLoader parent = loader(IS_DRIVER.or(IS_APPLICATION).negate(), platform());
        URLClassLoader child = loader(IS_DRIVER.or(IS_APPLICATION), parent)) {
      assertWatches(child);
    }
  }

  @Test
  void driverInTheParentLoaderAndTxwatchInTheChild() throws Exception {
    try (URLClassLoader parent = loader(IS_DRIVER, platform());
        URLClassLoader child = loader(IS_DRIVER.negate(), parent)) {
      assertWatches(child);
    }
  }

  @Test
  void driverInAChildOfTheLoaderOfTxwatch() throws Exception {
    try (URLClassLoader parent = loader(IS_DRIVER.or(IS_APPLICATION).negate(), platform());
        URLClassLoader driver = loader(IS_DRIVER, parent);
        URLClassLoader application = loader(IS_APPLICATION, driver)) {
      assertWatches(application);
    }
  }

  @Test
  void closedLoaderIsNotRetained() throws Exception {
    // Not closed: its threads go on, as they do in a server.
    URLClassLoader parent = loader(IS_DRIVER.or(IS_APPLICATION).negate(), platform());
    WeakReference<ClassLoader> gone = usedOnce(parent);
    for (int i = 0; i < 100 && gone.get() != null; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertThat(gone.get()).isNull();
  }

  /** Two web applications with copies of a driver and one database; one is undeployed. */
  @Test
  void closedLoaderIsNotRetainedByConnectionsOfAnotherOneToTheSameUrl() throws Exception {
    URLClassLoader parent = loader(IS_DRIVER.or(IS_APPLICATION).negate(), platform());
    try (URLClassLoader other = loader(IS_DRIVER.or(IS_APPLICATION), parent)) {
      List<Connection> opened = new ArrayList<>();
      WeakReference<ClassLoader> gone = openedBefore(parent, () -> opened.add(open(other)));
      for (int i = 0; i < 100 && gone.get() != null; i++) {
        System.gc();
        Thread.sleep(20);
      }
      assertThat(gone.get()).isNull();
      opened.get(0).close();
    }
  }

  private static WeakReference<ClassLoader> openedBefore(ClassLoader parent, Callable<?> meanwhile)
      throws Exception {
    try (URLClassLoader child = loader(IS_DRIVER.or(IS_APPLICATION), parent);
        Connection first = open(child)) {
      meanwhile.call();
      assertThat(first.isValid(1)).isTrue();
      return new WeakReference<>(child);
    }
  }

  private static Connection open(ClassLoader application) throws Exception {
    Thread.currentThread().setContextClassLoader(application);
    try {
      return (Connection)
          ((Callable<?>)
                  application.loadClass(Opener.class.getName()).getConstructor().newInstance())
              .call();
    } finally {
      Thread.currentThread().setContextClassLoader(platform());
    }
  }

  private WeakReference<ClassLoader> usedOnce(ClassLoader parent) throws Exception {
    try (URLClassLoader child = loader(IS_DRIVER.or(IS_APPLICATION), parent)) {
      assertWatches(child, directory.resolve("history").toString());
      return new WeakReference<>(child);
    }
  }

  private static void assertWatches(ClassLoader application) throws Exception {
    assertWatches(application, "");
  }

  private static void assertWatches(ClassLoader application, String history) throws Exception {
    for (ClassLoader context : List.of(platform(), application)) {
      Thread.currentThread().setContextClassLoader(context);
      Callable<?> caller =
          (Callable<?>)
              application
                  .loadClass(Caller.class.getName())
                  .getConstructor(String.class)
                  .newInstance(history);
      assertThat(caller.getClass()).isNotEqualTo(Caller.class);
      assertThat(caller.call()).isEqualTo("WatchedConnection 42;WatchedConnection 42;");
    }
    Thread.currentThread().setContextClassLoader(platform());
  }

  private static ClassLoader platform() {
    return ClassLoader.getPlatformClassLoader();
  }

  private static URLClassLoader loader(Predicate<String> which, ClassLoader parent)
      throws Exception {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<URL> urls = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      if (IS_OTHER_DRIVER.negate().and(which).test(entry)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(URL[]::new), parent);
  }
}
