package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.capture.Pipeline;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.settings.Settings;
import java.io.File;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.lang.runtime.ObjectMethods;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * After the last connection was closed: everything is delivered, and no thread or class remains.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LastConnectionTest {

  private static final long WAIT_NANOS = 60_000_000_000L;

  @Test
  void fiftySetsOfSettingsLeaveNoThreadAndNoClassLoader(@TempDir Path folder) throws Throwable {
    for (String url : List.of("jdbc:h2:mem:", "jdbc:sqlite::memory:")) {
      DriverManager.getConnection(url).close(); // what drivers start is not started by the copy
    }
    isUnloaded(deployAndUndeploy(Files.createDirectory(folder.resolve("lingering")), true));
    isUnloaded(deployAndUndeploy(Files.createDirectory(folder.resolve("stopped")), false));
    for (int i = 0; i < 50; i++) {
      assertThat(Watched.commits(folder.resolve("lingering/history" + i)))
          .as("history %s", i)
          .isPositive();
      assertThat(Watched.commits(folder.resolve("stopped/history" + i)))
          .as("history %s", i)
          .isPositive();
    }
  }

  private static void isUnloaded(WeakReference<ClassLoader> application) throws Throwable {
    long end = System.nanoTime() + WAIT_NANOS;
    while (application.get() != null && System.nanoTime() < end) {
      linkMethodsOfAnotherRecord();
      System.gc();
      Thread.sleep(100);
    }
    assertThat(application.get()).as("the application's class loader").isNull();
  }

  /**
   * JDK 17 references the record of which one of these methods was linked last, until that of
   * another one is.
   */
  private static void linkMethodsOfAnotherRecord() throws Throwable {
    link("equals", MethodType.methodType(boolean.class, Other.class, Object.class));
    link("hashCode", MethodType.methodType(int.class, Other.class));
    link("toString", MethodType.methodType(String.class, Other.class));
  }

  private static void link(String method, MethodType type) throws Throwable {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    ObjectMethods.bootstrap(
        lookup,
        method,
        type,
        Other.class,
        "number",
        lookup.findVirtual(Other.class, "number", MethodType.methodType(Integer.class)));
  }

  private record Other(Integer number) {}

  /**
   * Uses txwatch in a class loader of its own.
   *
   * @param lingers whether the threads are to end by themselves before the driver is deregistered
   */
  private static WeakReference<ClassLoader> deployAndUndeploy(Path folder, boolean lingers)
      throws Exception {
    try (URLClassLoader application = new URLClassLoader(classPath(), new Drivers())) {
      Object inside =
          application
              .loadClass(WebApplication.class.getName())
              .getConstructor(Path.class)
              .newInstance(folder);
      connect(inside);
      ((AutoCloseable) inside).close();
      long end = System.nanoTime() + WAIT_NANOS;
      while (lingers && !threads(application).isEmpty() && System.nanoTime() < end) {
        Thread.sleep(50);
      }
      ((Callable<?>) inside).call();
      // Deregistering waits until all is delivered, not until the last thread has returned.
      await()
          .untilAsserted(
              () ->
                  assertThat(threads(application))
                      .filteredOn(name -> !name.contains("parser"))
                      .isEmpty());
      return new WeakReference<>(application);
    }
  }

  /** Runs it, and checks that there are threads meanwhile. */
  private static void connect(Object inside) {
    ((Runnable) inside).run();
    assertThat(threads(inside.getClass().getClassLoader()))
        .anyMatch(name -> name.equals("txwatch-events"))
        .anyMatch(name -> name.equals("txwatch-report"));
  }

  /** The threads of txwatch that a class loader's classes have started. */
  private static List<String> threads(ClassLoader loader) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getContextClassLoader() == loader)
        .map(Thread::getName)
        .filter(name -> name.startsWith("txwatch"))
        .toList();
  }

  private static URL[] classPath() throws MalformedURLException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<URL> urls = new ArrayList<>();
    for (String entry : path.split(File.pathSeparator)) {
      if (!entry.matches(".*(mysql|mariadb|postgresql|hsqldb|derby|logback|slf4j).*[.]jar")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return urls.toArray(URL[]::new);
  }

  /** Exposes only the drivers' classes of the class path, as a container does. */
  private static final class Drivers extends ClassLoader {
    Drivers() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("org.h2.") || name.startsWith("org.sqlite.")) {
        return LastConnectionTest.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }

  /** Lives in a class loader of its own, with a copy of txwatch. */
  public static final class WebApplication implements Runnable, AutoCloseable, Callable<Object> {

    private final Path folder;
    private final List<Connection> connections = new ArrayList<>();

    /** Connects to nothing yet. */
    public WebApplication(Path folder) {
      this.folder = folder;
    }

    @Override
    public void run() {
      try {
        Class.forName("io.txwatch.jdbc.TxWatchDriver");
        for (int i = 0; i < 50; i++) {
          Properties settings = settings(folder, i);
          String url = i % 2 == 0 ? "jdbc:txwatch:h2:mem:" : "jdbc:txwatch:sqlite::memory:";
          Connection connection = DriverManager.getConnection(url, settings);
          connections.add(connection);
          connection.setAutoCommit(false);
          try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (id INT PRIMARY KEY)");
            statement.execute("INSERT INTO t VALUES (1)");
          }
          connection.commit();
        }
      } catch (SQLException | ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws SQLException {
      for (Connection connection : connections) {
        connection.close();
      }
    }

    @Override
    public Object call() throws SQLException {
      // As a container does for the drivers of an application that it stops.
      for (Driver driver : DriverManager.drivers().toList()) {
        if (driver.getClass().getClassLoader() == getClass().getClassLoader()) {
          DriverManager.deregisterDriver(driver);
        }
      }
      return connections;
    }
  }

  private static Properties settings(Path folder, int i) {
    Properties settings = new Properties();
    settings.setProperty("txwatch.log", i == 0 ? "slf4j" : "none");
    settings.setProperty("txwatch.history", folder.resolve("history" + i).toString());
    settings.setProperty("txwatch.report", folder.resolve("report" + i).toString());
    return settings;
  }

  @Test
  void connectionsThatOpenAndCloseRapidlyLoseNothing(@TempDir Path folder) throws Exception {
    String name = "rapidly";
    Properties settings = settings(folder, 1);
    try (Connection raw = DriverManager.getConnection("jdbc:h2:mem:" + name);
        Statement statement = raw.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      for (int i = 0; i < 6; i++) {
        statement.execute("INSERT INTO account VALUES (" + i + ", 0)");
      }
      Watched.prepare(raw);
      for (int round = 0; round < 3; round++) {
        fromSixThreads(thread -> update("jdbc:txwatch:h2:mem:" + name, settings, thread, 40));
        Thread.sleep(round == 0 ? 3_500 : 0); // the queue ends; the next round begins another
      }
    }
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    Map<Long, List<Event>> sessions = new HashMap<>();
    try (HistoryReader reader = HistoryReader.open(folder.resolve("history1"))) {
      reader.forEach(
          event -> {
            if (!(event instanceof Event.RowNamed)) { // of whichever session finds a row first
              sessions.computeIfAbsent(event.session(), s -> new ArrayList<>()).add(event);
            }
          });
    }
    assertThat(sessions).hasSize(3 * 6 * 40).doesNotContainKey(0L);
    assertThat(sessions.values())
        .allSatisfy(
            events ->
                assertThat(events.stream().map(event -> event.getClass().getSimpleName()))
                    .containsExactly(
                        "SessionOpened",
                        "TransactionBegan",
                        "StatementExecuted",
                        "StatementExecuted",
                        "TransactionEnded",
                        "SessionClosed"));
  }

  private static void fromSixThreads(Consumer<Integer> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Callable<Object>> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        int number = i;
        all.add(Executors.callable(() -> work.accept(number)));
      }
      for (Future<Object> done : threads.invokeAll(all)) {
        done.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  private static void update(String url, Properties settings, int id, int times) {
    for (int i = 0; i < times; i++) {
      try (Connection connection = DriverManager.getConnection(url, settings)) {
        connection.setAutoCommit(false);
        try (PreparedStatement update =
            connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
          for (int statement = 0; statement < 2; statement++) {
            update.setInt(1, i);
            update.setInt(2, id);
            update.executeUpdate();
          }
        }
        connection.commit();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void reportContinuesAfterAPeriodWithoutConnections(@TempDir Path folder) throws Exception {
    Properties settings = settings(folder, 2);
    Path report = folder.resolve("report2");
    try (Connection raw = DriverManager.getConnection("jdbc:h2:mem:goeson");
        Statement statement = raw.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (1, 100)");
      Watched.prepare(raw);
      for (int round = 0; round < 2; round++) {
        Watched.loseAnUpdate("jdbc:txwatch:h2:mem:goeson", settings);
        Thread.sleep(3_500);
        assertThat(Files.readAllLines(report)).hasSize(round + 1);
      }
    }
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    assertThat(Files.readAllLines(report))
        .hasSize(2)
        .allMatch(line -> line.contains("LOST_UPDATE"));
  }
}
