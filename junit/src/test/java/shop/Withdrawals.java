package shop;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Two withdrawals at the same time. */
public final class Withdrawals {

  private static final AtomicInteger BANKS = new AtomicInteger();

  private Withdrawals() {}

  /**
   * Runs two withdrawals, the second between the read and the write of the first, unless it has to
   * wait.
   */
  public static void runTwo(boolean locks) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:bank" + BANKS.incrementAndGet());
    config.setMaximumPoolSize(2);
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (HikariDataSource bank = new HikariDataSource(config)) {
      createAccount(bank);
      AccountService service = new AccountService(bank, locks);
      Future<?>[] second = new Future<?>[1];
      service.withdraw(10, () -> second[0] = startAndWait(other, service, locks));
      second[0].get(20, TimeUnit.SECONDS);
    } finally {
      other.shutdown();
    }
  }

  private static Future<?> startAndWait(
      ExecutorService other, AccountService service, boolean waits) {
    Future<?> started =
        other.submit(
            () -> {
              service.withdraw(20, () -> {});
              return null;
            });
    try {
      if (!waits) {
        started.get(20, TimeUnit.SECONDS);
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return started;
  }

  private static void createAccount(HikariDataSource bank) throws SQLException {
    try (Connection connection = bank.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (1, 100)");
    }
  }
}
