package io.txwatch.bench.overhead;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * SmallBank (Alomari, Cahill, Fekete and Röhm, <em>The Cost of Serializability on Platforms That
 * Use Snapshot Isolation</em>, ICDE 2008): five short transactions over the savings and checking
 * accounts of customers, in equal shares. Nine of ten use a few customers. In a snapshot,
 * WriteCheck and TransactSaving of one customer, seen by Balance, are not serializable.
 */
final class SmallBank implements Workload {

  /** The ways to make it serializable in a snapshot (section III of the paper). */
  enum Repair {
    NONE,
    /** WriteCheck and TransactSaving change a row of their own. */
    MATERIALIZE_WT,
    /** WriteCheck changes the savings that it reads, to what they are. */
    PROMOTE_WT,
    /** Balance and WriteCheck change a row of their own. */
    MATERIALIZE_BW,
    /** Balance changes the checking account that it reads, to what it is. */
    PROMOTE_BW
  }

  static final int CUSTOMERS = 18_000;
  private static final int POPULAR_CUSTOMERS = 1_000;
  private static final int POPULAR_PERCENT = 90;
  private static final int MAX_CENTS = 10_000;
  private static final int ROWS_OF_BATCH = 1_000;

  private final Repair repair;

  SmallBank(Repair repair) {
    this.repair = repair;
  }

  @Override
  public void create(Connection connection, long seed) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (name VARCHAR(64) PRIMARY KEY, custid INT NOT NULL)");
      statement.execute("CREATE TABLE saving (custid INT PRIMARY KEY, bal DECIMAL(14,2) NOT NULL)");
      statement.execute(
          "CREATE TABLE checking (custid INT PRIMARY KEY, bal DECIMAL(14,2) NOT NULL)");
      if (materializes()) {
        statement.execute("CREATE TABLE conflict (custid INT PRIMARY KEY, value INT NOT NULL)");
      }
    }
    Random random = new Random(seed);
    connection.setAutoCommit(false);
    for (int first = 0; first < CUSTOMERS; first += ROWS_OF_BATCH) {
      try (BatchInsert accounts = new BatchInsert(connection, "account", 2);
          BatchInsert savings = new BatchInsert(connection, "saving", 2);
          BatchInsert checkings = new BatchInsert(connection, "checking", 2)) {
        for (int id = first; id < first + ROWS_OF_BATCH; id++) {
          accounts.add(name(id), id);
          savings.add(id, cents(10_000 + random.nextInt(4 * MAX_CENTS)));
          checkings.add(id, cents(10_000 + random.nextInt(4 * MAX_CENTS)));
        }
      }
    }
    if (materializes()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("INSERT INTO conflict SELECT custid, 0 FROM account");
      }
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  private boolean materializes() {
    return repair == Repair.MATERIALIZE_WT || repair == Repair.MATERIALIZE_BW;
  }

  @Override
  public void configure(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
  }

  @Override
  public Client client(int number, long seed) {
    Random random = new Random(seed * 31 + number);
    return () -> {
      String name = name(customer(random));
      BigDecimal amount = cents(1 + random.nextInt(MAX_CENTS));
      return switch (random.nextInt(5)) {
        case 0 -> new Balance(name, repair);
        case 1 -> new DepositChecking(name, amount);
        case 2 -> new TransactSaving(name, random.nextBoolean() ? amount : amount.negate(), repair);
        case 3 -> new Amalgamate(name, name(customer(random)));
        default -> new WriteCheck(name, amount, repair);
      };
    };
  }

  private static int customer(Random random) {
    return random.nextInt(random.nextInt(100) < POPULAR_PERCENT ? POPULAR_CUSTOMERS : CUSTOMERS);
  }

  private static String name(int customer) {
    return "customer " + customer;
  }

  private static BigDecimal cents(int cents) {
    return BigDecimal.valueOf(cents, 2);
  }

  /** Reads both accounts. */
  private record Balance(String name, Repair repair) implements Transaction {
    @Override
    public void run(Connection connection) throws SQLException {
      int id = id(connection, name);
      balance(connection, "saving", id);
      balance(connection, "checking", id);
      if (repair == Repair.MATERIALIZE_BW) {
        change(connection, "conflict", "value = value + 1", id);
      } else if (repair == Repair.PROMOTE_BW) {
        change(connection, "checking", "bal = bal", id);
      }
      connection.commit();
    }
  }

  /** Pays an amount in. */
  private record DepositChecking(String name, BigDecimal amount) implements Transaction {
    @Override
    public void run(Connection connection) throws SQLException {
      add(connection, "checking", id(connection, name), amount);
      connection.commit();
    }
  }

  /** Pays an amount in or out; rolled back if the savings do not suffice. */
  private record TransactSaving(String name, BigDecimal amount, Repair repair)
      implements Transaction {
    @Override
    public void run(Connection connection) throws SQLException {
      int id = id(connection, name);
      if (balance(connection, "saving", id).add(amount).signum() < 0) {
        connection.rollback();
        return;
      }
      if (repair == Repair.MATERIALIZE_WT) {
        change(connection, "conflict", "value = value + 1", id);
      }
      add(connection, "saving", id, amount);
      connection.commit();
    }
  }

  /** Moves all that a customer has to another one's checking account. */
  private record Amalgamate(String from, String to) implements Transaction {
    @Override
    public void run(Connection connection) throws SQLException {
      int giver = id(connection, from);
      int taker = id(connection, to);
      BigDecimal all =
          balance(connection, "saving", giver).add(balance(connection, "checking", giver));
      change(connection, "saving", "bal = 0", giver);
      change(connection, "checking", "bal = 0", giver);
      add(connection, "checking", taker, all);
      connection.commit();
    }
  }

  /** Cashes a check, with a penalty of 1 if both accounts together do not suffice. */
  private record WriteCheck(String name, BigDecimal amount, Repair repair) implements Transaction {
    @Override
    public void run(Connection connection) throws SQLException {
      int id = id(connection, name);
      BigDecimal sum = balance(connection, "saving", id).add(balance(connection, "checking", id));
      BigDecimal paid = sum.compareTo(amount) < 0 ? amount.add(BigDecimal.ONE) : amount;
      if (repair == Repair.MATERIALIZE_WT || repair == Repair.MATERIALIZE_BW) {
        change(connection, "conflict", "value = value + 1", id);
      } else if (repair == Repair.PROMOTE_WT) {
        change(connection, "saving", "bal = bal", id);
      }
      add(connection, "checking", id, paid.negate());
      connection.commit();
    }
  }

  private static int id(Connection connection, String name) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT custid FROM account WHERE name = ?")) {
      select.setString(1, name);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private static BigDecimal balance(Connection connection, String table, int id)
      throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT bal FROM " + table + " WHERE custid = ?")) {
      select.setInt(1, id);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getBigDecimal(1);
      }
    }
  }

  private static void add(Connection connection, String table, int id, BigDecimal amount)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE " + table + " SET bal = bal + ? WHERE custid = ?")) {
      update.setBigDecimal(1, amount);
      update.setInt(2, id);
      update.executeUpdate();
    }
  }

  private static void change(Connection connection, String table, String assignment, int id)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE " + table + " SET " + assignment + " WHERE custid = ?")) {
      update.setInt(1, id);
      update.executeUpdate();
    }
  }
}
