package org.example.shop.migrate;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.example.shop.Workload;
import org.example.shop.jdbc.JdbcShop;

/**
 * A shop that creates its tables by a migration tool, and brings them from release to release while
 * its sessions read and write them. If it is started again, there is nothing to migrate.
 */
public final class MigratedShop {

  static final int LAST_RELEASE = 7;

  private static final long LAMP = 3;

  private MigratedShop() {}

  /**
   * Runs it.
   *
   * @param arguments the URL and the name of the tool
   */
  public static void main(String[] arguments) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(arguments[0]);
    config.setMaximumPoolSize(8);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    try (HikariDataSource pool = new HikariDataSource(config)) {
      run(
          pool,
          // H2 loses rows and updates of a table that it copies for ALTER TABLE while others write.
          arguments[0].contains(":h2:"),
          arguments[1].equals("flyway")
              ? new FlywayMigration(pool, arguments[0])
              : new LiquibaseMigration(pool));
    }
  }

  private static void run(HikariDataSource pool, boolean pauses, Migration migration)
      throws Exception {
    JdbcShop shop = new JdbcShop(pool, () -> {});
    print("first release", migration.to(1));
    print("metadata", shop.metadata());
    try (Traffic traffic = new Traffic(pool)) {
      traffic.start();
      for (int release = 2; release <= LAST_RELEASE; release++) {
        int next = release;
        Callable<List<String>> migrating = () -> migration.to(next);
        print("release " + next, pauses ? traffic.pausedWhile(migrating) : migrating.call());
        print("metadata", shop.metadata());
        traffic.goOn();
      }
      print("status", migration.status());
      Workload.loseUpdate(shop, LAMP);
      print("again", migration.to(LAST_RELEASE));
      print("traffic", traffic.end());
    }
    print("product", shop.products());
    Workload.print("purchases", shop.purchases());
    print("stock", rows(pool, "SELECT * FROM stock_view ORDER BY id", "none"));
    print("supplier", rows(pool, "SELECT * FROM supplier ORDER BY id", "none"));
    print("status", migration.status());
    print("history", migration.history());
    print("metadata", shop.metadata());
  }

  private static void print(String what, List<String> lines) {
    lines.forEach(line -> Workload.print(what, line));
  }

  /** The rows of a query, with their labels, without some columns. */
  static List<String> rows(DataSource pool, String query, String without) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          String label = rows.getMetaData().getColumnLabel(i);
          if (!label.toLowerCase(Locale.ROOT).matches(without.toLowerCase(Locale.ROOT))) {
            line.append(label).append('=').append(rows.getString(i)).append(' ');
          }
        }
        lines.add(line.toString());
      }
    }
    return lines;
  }

  /** A name as it was given, whatever the DBMS makes of names without quotes. */
  static String quoted(DataSource pool, String name) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      String quote = connection.getMetaData().getIdentifierQuoteString();
      return quote + name + quote;
    }
  }
}
