package io.txwatch.interleave.provoke;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.Gates;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two clients. The second one makes its first call only when the first one is held, so that without
 * the gate no transactions are concurrent, and no test ends.
 */
class ProvokingGateTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  private final ExecutorService other = Executors.newSingleThreadExecutor();
  private final List<String> log = new ArrayList<>();
  private final List<Connection> connections = new ArrayList<>();
  private ProvokingGate gate = new ProvokingGate(LONG, LONG, log::add);

  @AfterEach
  void close() throws SQLException {
    Gates.remove(gate);
    gate.stop();
    other.shutdownNow();
    for (Connection connection : connections) {
      connection.close();
    }
    assertThat(log).isEmpty();
  }

  /** Two connections to a database with three accounts of 100 each, whose calls pass the gate. */
  private void open(ServerKind kind, Duration limit) throws SQLException {
    gate = new ProvokingGate(limit, LONG, log::add);
    String url = TestServers.freshDatabase(kind).replaceFirst("^jdbc:", "jdbc:txwatch:");
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    for (int i = 0; i < 2; i++) {
      connections.add(DriverManager.getConnection(url, settings));
    }
    AtomicReference<Database> database = new AtomicReference<>();
    Gate first = call -> database.set(call.connection().database());
    Gates.install(first);
    execute(0, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
    execute(0, "INSERT INTO account VALUES (1, 100), (2, 100), (3, 100)");
    execute(0, "CREATE TABLE branch (id INT PRIMARY KEY, payments INT)");
    execute(0, "INSERT INTO branch VALUES (7, 0)");
    Gates.remove(first);
    gate.add(requireNonNull(database.get()));
    Gates.install(gate);
    for (Connection connection : connections) {
      connection.setAutoCommit(false);
    }
  }

  private void execute(int connection, String sql, int... parameters) throws SQLException {
    try (PreparedStatement statement = connections.get(connection).prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setInt(i + 1, parameters[i]);
      }
      statement.executeUpdate();
    }
  }

  private int balance(int connection, int account) throws SQLException {
    try (PreparedStatement statement =
        connections.get(connection).prepareStatement("SELECT balance FROM account WHERE id = ?")) {
      statement.setInt(1, account);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  private int withdraw(int connection, int account, int amount) throws SQLException {
    int balance = balance(connection, account);
    execute(connection, "UPDATE account SET balance = ? WHERE id = ?", balance - amount, account);
    connections.get(connection).commit();
    return balance;
  }

  private int total(int connection) throws SQLException {
    int total = 0;
    for (int account = 1; account <= 3; account++) {
      total += balance(connection, account);
    }
    connections.get(connection).commit();
    return total;
  }

  private int transfer(int connection, int from, int to) throws SQLException {
    execute(connection, "UPDATE account SET balance = balance - 10 WHERE id = ?", from);
    execute(connection, "UPDATE account SET balance = balance + 10 WHERE id = ?", to);
    connections.get(connection).commit();
    return 0;
  }

  /** Waits until what one client has done shows that a race is possible. */
  private void awaitRace() throws InterruptedException {
    while (gate.races().isEmpty()) {
      Thread.sleep(10);
    }
  }

  /** Begins something with the second connection, and waits until it is held. */
  private <T> Future<T> held(Callable<T> second) throws InterruptedException {
    Future<T> begun = other.submit(second);
    while (gate.heldSessions() == 0) {
      assertThat(begun).as("is held before it ends").isNotDone();
      Thread.sleep(10);
    }
    return begun;
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRESQL"})
  void updateIsLost(ServerKind kind) throws Exception {
    open(kind, LONG);
    withdraw(0, 1, 0);
    withdraw(0, 2, 0);
    awaitRace();

    Future<Integer> second = held(() -> withdraw(1, 1, 60));
    assertThat(withdraw(0, 1, 50)).as("the balance that the first one has read").isEqualTo(100);
    assertThat(second.get(1, TimeUnit.MINUTES)).isEqualTo(100);
    assertThat(balance(0, 1)).as("50 are lost").isEqualTo(40);
  }

  /** The one that writes comes first, and is held as well. */
  @Test
  void sumIsOfDifferentMoments() throws Exception {
    open(ServerKind.H2, LONG);
    total(0);
    transfer(0, 1, 2);
    transfer(0, 2, 1);
    awaitRace();

    Future<Integer> second = held(() -> transfer(1, 2, 3));
    assertThat(total(0)).isEqualTo(310);
    second.get(1, TimeUnit.MINUTES);
  }

  @Test
  void othersRowsDoNotReleaseIt() throws Exception {
    open(ServerKind.H2, LONG);
    withdraw(0, 1, 0);
    withdraw(0, 2, 0);
    awaitRace();

    Future<Integer> second = held(() -> withdraw(1, 1, 60));
    connections.get(0).setAutoCommit(true);
    execute(0, "UPDATE account SET balance = ? WHERE id = ?", 7, 2);
    execute(0, "UPDATE account SET balance = ? WHERE id = ?", 8, 2);
    assertThat(gate.heldSessions()).isEqualTo(1);
    execute(0, "UPDATE account SET balance = ? WHERE id = ?", 9, 1);
    execute(0, "UPDATE account SET balance = ? WHERE id = ?", 9, 2);
    second.get(1, TimeUnit.MINUTES);
    assertThat(balance(0, 1)).isEqualTo(40);
  }

  @Test
  void withoutPartnerItGoesOn() throws Exception {
    open(ServerKind.H2, Duration.ofMillis(20));
    withdraw(0, 1, 0);
    withdraw(0, 2, 0);
    awaitRace();

    assertThat(other.submit(() -> withdraw(1, 1, 60)).get(1, TimeUnit.MINUTES)).isEqualTo(100);
    assertThat(gate.heldTransactions()).isEqualTo(1);
  }

  @Test
  void aloneNothingIsHeld() throws Exception {
    open(ServerKind.H2, LONG);
    withdraw(0, 1, 0);
    withdraw(0, 2, 0);
    awaitRace();

    assertThat(withdraw(1, 1, 60)).as("on the same thread").isEqualTo(100);
    assertThat(gate.heldTransactions()).isZero();
  }

  @Test
  void autocommittedStatementIsNotHeld() throws Exception {
    open(ServerKind.H2, LONG);
    total(0);
    transfer(0, 1, 2);
    transfer(0, 2, 1);
    awaitRace();

    connections.get(1).setAutoCommit(true);
    Callable<Integer> update =
        () -> {
          execute(1, "UPDATE account SET balance = balance - 10 WHERE id = ?", 1);
          return 0;
        };
    other.submit(update).get(1, TimeUnit.MINUTES);
    assertThat(gate.heldTransactions()).isZero();
  }

  /** Else the other one would wait for the DBMS, and this one for the other one. */
  @Test
  void ownerOfARowThatAnotherNeedsGoesOn() throws Exception {
    open(ServerKind.H2, LONG);
    Callable<Integer> locksFirst =
        () -> {
          // No other operation uses this table, so that no race is sought in it.
          execute(1, "UPDATE branch SET payments = payments + 1 WHERE id = ?", 7);
          return withdraw(1, 1, 60);
        };
    locksFirst.call();
    withdraw(0, 1, 0);
    withdraw(0, 2, 0);
    awaitRace();

    Future<Integer> second = held(locksFirst);
    execute(0, "DELETE FROM branch WHERE id = ?", 7);
    assertThat(second.get(1, TimeUnit.MINUTES)).isEqualTo(40);
  }
}
