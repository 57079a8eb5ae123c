package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.jdbc.Watch;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.ObservationLevel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Observation is switched off and on, for connections that are open and stay open. */
@Isolated // the level is that of the process
class SwitchedLevelTest {

  /** Where row versions come from. */
  enum Source {
    /** The auxiliary columns of H2. */
    COLUMNS,
    /** Triggers in H2. */
    TRIGGERS,
    /** What statements state. */
    STATEMENTS,
    /** The system columns of PostgreSQL. */
    SYSTEM
  }

  private static final AtomicInteger AMOUNTS = new AtomicInteger(1000);
  private static final List<String> TABLES = List.of("first", "hidden", "halfway", "last");

  @AfterEach
  void reset() {
    ObservationLevel.reset();
  }

  private static String database(Source source) throws SQLException {
    return source == Source.SYSTEM
        ? TestServers.freshDatabase(ServerKind.POSTGRESQL)
        : "jdbc:h2:mem:switched_" + source + ";DB_CLOSE_DELAY=-1";
  }

  private static Watched watched(Path folder, Source source) {
    return new Watched(folder, Map.of("txwatch.versions", source.name().toLowerCase(Locale.ROOT)));
  }

  private static void create(Connection admin, Source source, List<String> tables)
      throws SQLException {
    try (Statement statement = admin.createStatement()) {
      for (String table : tables) {
        statement.execute("CREATE TABLE " + table + "_ (id INT PRIMARY KEY, n INT NOT NULL)");
        for (int id = 1; id <= 4; id++) {
          statement.execute("INSERT INTO " + table + "_ VALUES (" + id + ", 100)");
        }
      }
    }
    if (source == Source.COLUMNS) {
      Watched.prepare(admin);
    }
  }

  /** The statements of a connection, which are prepared once. */
  private record Client(
      Connection connection, List<PreparedStatement> reads, List<PreparedStatement> writes) {

    static Client of(Connection connection, List<String> tables, String suffix)
        throws SQLException {
      connection.setAutoCommit(false);
      List<PreparedStatement> reads = new ArrayList<>();
      List<PreparedStatement> writes = new ArrayList<>();
      for (String table : tables) {
        reads.add(
            connection.prepareStatement("SELECT n FROM " + table + "_ WHERE id = ?" + suffix));
        writes.add(connection.prepareStatement("UPDATE " + table + "_ SET n = ? WHERE id = ?"));
      }
      return new Client(connection, reads, writes);
    }

    int read(int table, int id) throws SQLException {
      PreparedStatement read = reads.get(table);
      read.setInt(1, id);
      try (ResultSet row = read.executeQuery()) {
        assertThat(row.next()).isTrue();
        return row.getInt(1);
      }
    }

    void write(int table, int id, int value) throws SQLException {
      PreparedStatement write = writes.get(table);
      write.setInt(1, value);
      write.setInt(2, id);
      assertThat(write.executeUpdate()).isOne();
    }
  }

  private static void loseAnUpdate(Client one, Client other, int table, Runnable between)
      throws SQLException {
    int read = one.read(table, 1);
    other.read(table, 1);
    between.run();
    one.write(table, 1, read + 1);
    one.connection.commit();
    other.write(table, 1, read + 10);
    other.connection.commit();
  }

  /** What is executed while it is off is not reported, and before and after that all is. */
  @ParameterizedTest
  @EnumSource
  void openConnectionsFollowFromTheirNextTransactionOn(Source source, @TempDir Path folder)
      throws Exception {
    String url = database(source);
    Watched watched = watched(folder, source);
    try (Connection admin = DriverManager.getConnection(url)) {
      create(admin, source, TABLES);
      try (watched;
          Connection first = watched.connect(url);
          Connection second = watched.connect(url)) {
        Client one = Client.of(first, TABLES, "");
        Client other = Client.of(second, TABLES, "");
        loseAnUpdate(one, other, 0, () -> {});
        ObservationLevel.change("off");
        loseAnUpdate(one, other, 1, () -> {});
        ObservationLevel.change("inline");
        loseAnUpdate(one, other, 2, () -> ObservationLevel.change("off"));
        one.read(1, 2);
        one.connection.commit();
        ObservationLevel.change("items");
        loseAnUpdate(one, other, 3, () -> {});
        assertThat(Watch.isWatched(first)).isTrue();
        assertThat(ObservationLevel.unwatched()).isZero();
      }
    }
    assertThat(watched.reported())
        .extracting(
            one -> one.phenomenon() + " " + one.json().path("cycle").findValuesAsText("table"))
        .allMatch(one -> one.startsWith("LOST_UPDATE"))
        .hasSize(3)
        .noneMatch(one -> one.contains("hidden"));
    boolean areWritesSeen = source == Source.TRIGGERS || source == Source.STATEMENTS;
    assertThat(switchedOff(watched)).isEqualTo(areWritesSeen ? 3 : 5);
  }

  private static long switchedOff(Watched watched) throws Exception {
    return watched.events().stream()
        .filter(
            event ->
                event instanceof Event.Gap gap
                    && gap.detail().equals("observation was switched off"))
        .count();
  }

  /** Each transaction locks the rows that it writes before it reads them: there is no anomaly. */
  @ParameterizedTest
  @EnumSource
  void nothingFollowsFromWritesThatAreNotSeen(Source source, @TempDir Path folder)
      throws Exception {
    String url = database(source);
    Watched watched = watched(folder, source);
    List<String> tables = List.of("busy");
    try (Connection admin = DriverManager.getConnection(url)) {
      create(admin, source, tables);
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try (watched) {
        List<Future<?>> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          Random random = new Random(i);
          clients.add(
              threads.submit(
                  () -> {
                    try (Connection connection = watched.connect(url)) {
                      transfer(Client.of(connection, tables, " FOR UPDATE"), random);
                    }
                    return null;
                  }));
        }
        for (Future<?> client : clients) {
          client.get();
        }
      } finally {
        threads.shutdownNow();
      }
      try (Statement statement = admin.createStatement();
          ResultSet sum = statement.executeQuery("SELECT SUM(n) FROM busy_")) {
        assertThat(sum.next()).isTrue();
        assertThat(sum.getInt(1)).isEqualTo(400); // no update was lost
      }
    }
    assertThat(watched.reported()).filteredOn(one -> !one.possible()).isEmpty();
    assertThat(switchedOff(watched)).isPositive();
  }

  private static void transfer(Client client, Random random) throws SQLException {
    List<String> levels = List.of("inline", "off", "items", "predicates");
    for (int i = 0; i < 150; i++) {
      int low = 1 + random.nextInt(3);
      int high = low + 1 + random.nextInt(4 - low);
      int ofLow = client.read(0, low);
      int ofHigh = client.read(0, high);
      if (random.nextInt(5) == 0) {
        ObservationLevel.change(levels.get(random.nextInt(levels.size())));
      }
      int amount = AMOUNTS.incrementAndGet(); // so that values hardly recur
      client.write(0, low, ofLow - amount);
      client.write(0, high, ofHigh + amount);
      client.connection.commit();
    }
  }
}
