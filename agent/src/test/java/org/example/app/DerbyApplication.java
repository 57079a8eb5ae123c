package org.example.app;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Two clients take money from one account, in a Derby database in memory, at first by an UPDATE
 * that computes the balance, then by one that sets it. It prints what is left.
 */
public final class DerbyApplication {

  private static final String URL = "jdbc:derby:memory:shop;create=true";

  private DerbyApplication() {}

  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection(URL);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
      statement.execute("INSERT INTO account VALUES (1, 100), (2, 100)");
      inParallel(DerbyApplication::withdrawAtOnce);
      CyclicBarrier haveRead = new CyclicBarrier(2);
      inParallel(amount -> withdraw(amount, haveRead));
      try (ResultSet rows = statement.executeQuery("SELECT balance FROM account ORDER BY id")) {
        rows.next();
        System.out.println("corrected: " + rows.getInt(1));
        rows.next();
        System.out.println("racing: " + rows.getInt(1));
      }
    }
  }

  /** What a client does with an amount. */
  private interface Client {
    void take(int amount) throws Exception;
  }

  private static void inParallel(Client client) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<?>> ends = new ArrayList<>();
    for (int amount : List.of(10, 20)) {
      ends.add(
          threads.submit(
              () -> {
                client.take(amount);
                return null;
              }));
    }
    for (Future<?> end : ends) {
      end.get();
    }
    threads.shutdown();
  }

  private static void withdraw(int amount, CyclicBarrier haveRead) throws Exception {
    try (Connection connection = DriverManager.getConnection(URL)) {
      connection.setAutoCommit(false);
      int balance;
      try (PreparedStatement read =
          connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
        read.setInt(1, 2);
        try (ResultSet row = read.executeQuery()) {
          row.next();
          balance = row.getInt(1);
        }
      }
      haveRead.await();
      try (PreparedStatement write =
          connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
        write.setInt(1, balance - amount);
        write.setInt(2, 2);
        write.executeUpdate();
      }
      connection.commit();
    }
  }

  private static void withdrawAtOnce(int amount) throws SQLException {
    try (Connection connection = DriverManager.getConnection(URL)) {
      connection.setAutoCommit(false);
      for (int one = 0; one < amount; one++) {
        try (PreparedStatement write =
            connection.prepareStatement("UPDATE account SET balance = balance - ? WHERE id = ?")) {
          write.setInt(1, 1);
          write.setInt(2, 1);
          write.executeUpdate();
        }
        connection.commit();
      }
    }
  }
}
