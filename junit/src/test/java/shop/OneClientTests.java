package shop;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txwatch.junit.WatchTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Tests of an application by one client, which other tests run. */
public final class OneClientTests {

  private static final AtomicInteger SHOPS = new AtomicInteger();

  private OneClientTests() {}

  /** A database of its own. */
  public abstract static class OpenShop {
    protected final HikariDataSource shop;
    protected final Stock stock;

    protected OpenShop() {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl("jdbc:h2:mem:shop" + SHOPS.incrementAndGet());
      config.setMaximumPoolSize(2);
      shop = new HikariDataSource(config);
      stock = new Stock(shop);
      execute("CREATE TABLE stock (id INT PRIMARY KEY, \"größe\" INT)");
      execute("INSERT INTO stock VALUES (1, 5), (2, 5)");
    }

    protected final void execute(String sql) {
      try (Connection connection = shop.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @AfterEach
    void closeShop() {
      shop.close();
    }
  }

  /** One class of a suite. */
  @WatchTransactions(predict = true)
  public static class Selling extends OpenShop {
    @Test
    void sells() throws SQLException {
      stock.sell(1);
      assertThat(stock.count(1)).isEqualTo(4);
    }

    /** What the test itself executes is no operation. */
    @Test
    void sellsAnother() throws SQLException {
      execute("UPDATE stock SET \"größe\" = 7 WHERE id = 2");
      stock.sell(2);
    }
  }

  /** Another one. */
  @WatchTransactions(predict = true)
  public static class Restocking extends OpenShop {
    @Test
    void restocks() throws SQLException {
      stock.restock(1);
    }
  }

  /** Not annotated with predict. */
  @WatchTransactions
  public static class NotPredicted extends OpenShop {
    @Test
    void sells() throws SQLException {
      stock.sell(1);
    }
  }

  /** Nothing that could race. */
  @WatchTransactions(predict = true)
  public static class Reading extends OpenShop {
    @Test
    void counts() throws SQLException {
      stock.count(1);
    }
  }

  /** Every transaction is rolled back. */
  @WatchTransactions(predict = true)
  public static class RollingBack extends OpenShop {
    @Test
    void rollsBack() throws SQLException {
      try (Connection connection = shop.getConnection()) {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
          statement.execute("UPDATE stock SET \"größe\" = 7 WHERE id = 2");
        }
        connection.rollback();
      }
    }
  }

  /** Without annotations. */
  public static class Plain extends OpenShop {
    @RepeatedTest(8)
    void sells() throws SQLException {
      stock.sell(1);
    }

    @Test
    void restocks() throws SQLException {
      stock.restock(1);
    }
  }

  /** No connection. */
  @WatchTransactions(predict = true, requireStatements = false)
  public static class WithoutDatabase {
    @Test
    void adds() {
      assertThat(1 + 1).isEqualTo(2);
    }
  }
}
