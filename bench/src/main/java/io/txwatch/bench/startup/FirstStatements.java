package io.txwatch.bench.startup;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The smallest application: without an argument it does nothing; with a URL it executes four
 * statements.
 */
public final class FirstStatements {

  private FirstStatements() {}

  /** Argument: a JDBC URL, or none. */
  public static void main(String[] args) throws SQLException {
    if (args.length == 0) {
      return;
    }
    try (Connection connection = DriverManager.getConnection(args[0]);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account (id, balance) VALUES (1, 100)");
      statement.execute("UPDATE account SET balance = balance - 10 WHERE id = 1");
      statement.executeQuery("SELECT balance FROM account WHERE id = 1").close();
    }
  }
}
