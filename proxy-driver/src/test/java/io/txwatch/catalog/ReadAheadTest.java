package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.sql.Catalog;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tables that a new connection reads before the application has got it. */
class ReadAheadTest {

  private static final int MAX_QUERIES = 40;

  /** On MariaDB no table can be looked up before the application is about to send a statement. */
  @Test
  void theNextConnectionGoesOnWhereOneFailed() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.MARIADB);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String table : List.of("a", "b", "c", "d")) {
        statement.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY)");
      }
    }
    int interrupted = 0;
    for (int query = 1; query <= MAX_QUERIES; query++) {
      AtomicInteger left = new AtomicInteger(query);
      try (Connection first = DriverManager.getConnection(url);
          Connection second = DriverManager.getConnection(url);
          JdbcCatalog ignored = open(failing(first, left), url, query);
          JdbcCatalog catalog = open(second, url, query)) {
        interrupted += left.get() <= 0 ? 1 : 0;
        long unknown =
            List.of("a", "b", "c", "d").stream().filter(table -> isUnknown(catalog, table)).count();
        assertThat(unknown).as("tables not read if query %d fails", query).isLessThanOrEqualTo(1);
      } catch (SQLException e) {
        assertThat(e.getMessage()).isEqualTo("interrupted"); // before the tables are read
      }
    }
    assertThat(interrupted).isGreaterThan(2);
  }

  private static JdbcCatalog open(Connection connection, String url, int query)
      throws SQLException {
    return JdbcCatalog.open(
        connection,
        url,
        "user " + query,
        () -> DriverManager.getConnection(url),
        CatalogMode.DEFAULT,
        () -> true,
        line -> {});
  }

  private static boolean isUnknown(JdbcCatalog catalog, String table) {
    return catalog.find(List.of(table)).orElseThrow().status() == Catalog.Status.LOOKUP_FAILED;
  }

  /** A connection that makes no statement when its turn has come, and goes on afterwards. */
  private static Connection failing(Connection real, AtomicInteger left) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean makes =
                  method.getName().equals("createStatement")
                      || method.getName().equals("prepareStatement");
              if (makes && left.decrementAndGet() == 0) {
                throw new SQLException("interrupted");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
