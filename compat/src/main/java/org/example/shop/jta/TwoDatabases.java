package org.example.shop.jta;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.example.shop.Schema;
import org.example.shop.Workload;

/** Moves stock between two databases. Started again, it completes what a crash left half done. */
public final class TwoDatabases {

  private static final long ANVIL = 1;
  private static final long ROCKET = 2;

  private final Transactions transactions;

  private TwoDatabases(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Runs it.
   *
   * @param arguments the URL of one database, what manages transactions, the other's URL
   */
  public static void main(String[] arguments) throws Exception {
    try (Transactions transactions =
        arguments[1].equals("narayana")
            ? new NarayanaTransactions(arguments[0], arguments[2])
            : new SpringTransactions(arguments[0], arguments[2])) {
      new TwoDatabases(transactions).run();
    }
  }

  private void run() throws Exception {
    Path crashed = Path.of("crashed");
    if (Files.notExists(crashed)) {
      use();
      Files.createFile(crashed);
      print("before the crash");
      transactions.crashInCommit((one, two) -> move(one, two, 20));
    } else {
      print("after the crash");
      transactions.recover();
      print("recovered");
      sell(() -> Workload.inAnotherThread(() -> sell(() -> {})));
      print("sold");
      transactions.run(
          (one, two) -> {
            Schema.metadata(one).forEach(line -> Workload.print("metadata of one", line));
            Schema.metadata(two).forEach(line -> Workload.print("metadata of two", line));
          });
    }
  }

  private void use() throws Exception {
    transactions.run(
        (one, two) -> {
          Workload.print("keys", add(one, "anvil", 100) + " " + add(two, "anvil", 200));
          Workload.print("keys", add(one, "rocket", 10) + " " + add(two, "rocket", 20));
        });
    print("added");
    transactions.run((one, two) -> move(one, two, 30));
    print("moved");
    fail(
        "moved and failed",
        (one, two) -> {
          move(one, two, 7);
          throw new IllegalStateException("out of stock");
        });
    fail(
        "error in one",
        (one, two) -> {
          add(two, "magnet", 1);
          add(one, "anvil", 1);
        });
    fail(
        "error in two",
        (one, two) -> {
          add(one, "magnet", 1);
          add(two, "anvil", 1);
        });
    for (int i = 0; i < 20; i++) {
      transactions.run((one, two) -> move(two, one, 1));
      transactions.run((one, two) -> stock(one, ROCKET));
    }
    print("moved back");
  }

  private void fail(String what, Transactions.Work work) throws Exception {
    Workload.print(what, Workload.failure(() -> transactions.run(work)));
    print(what);
  }

  /** Reads the stock in both databases, and writes one less some time later. */
  private void sell(Runnable meanwhile) throws Exception {
    transactions.run(
        (one, two) -> {
          int stockOfOne = stock(one, ANVIL);
          int stockOfTwo = stock(two, ANVIL);
          meanwhile.run();
          setStock(one, stockOfOne - 1);
          setStock(two, stockOfTwo - 1);
        });
  }

  private static void move(Connection from, Connection to, int number) throws SQLException {
    take(from, number);
    take(to, -number);
  }

  private static void take(Connection connection, int number) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE product SET stock = stock - ? WHERE id = ?")) {
      update.setInt(1, number);
      update.setLong(2, ANVIL);
      update.executeUpdate();
    }
  }

  private static int stock(Connection connection, long product) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT stock FROM product WHERE id = ?")) {
      select.setLong(1, product);
      ResultSet row = select.executeQuery(); // read
      row.next();
      return row.getInt(1);
    }
  }

  private static void setStock(Connection connection, int stock) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE product SET stock = ? WHERE id = ?")) {
      update.setInt(1, stock);
      update.setLong(2, ANVIL);
      update.executeUpdate(); // write
    }
  }

  private static long add(Connection connection, String name, int stock) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO product (name, stock) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
      insert.setString(1, name);
      insert.setInt(2, stock);
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        keys.next();
        return keys.getLong(1);
      }
    }
  }

  private void print(String when) throws Exception {
    transactions.run(
        (one, two) -> {
          print(when + ", one", one);
          print(when + ", two", two);
        });
  }

  private static void print(String what, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM product ORDER BY id")) {
      while (rows.next()) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          line.append(rows.getMetaData().getColumnLabel(i)).append('=');
          line.append(rows.getObject(i)).append(' ');
        }
        Workload.print(what, line.toString());
      }
    }
  }
}
