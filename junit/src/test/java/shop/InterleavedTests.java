package shop;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.junit.InterleaveTest;
import io.txwatch.junit.Interleaving;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** Tests of an application in every order, which other tests run. */
public final class InterleavedTests {

  private InterleavedTests() {}

  /** A pool of some connections on a database with one account. */
  private static HikariDataSource bank(int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    config.setMaximumPoolSize(connections);
    config.setConnectionTimeout(5_000);
    return new HikariDataSource(config);
  }

  private static void execute(HikariDataSource bank, String... statements) throws SQLException {
    try (Connection connection = bank.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static void twoWithdraw(Interleaving run, HikariDataSource bank, boolean locks) {
    AccountService service = new AccountService(bank, locks);
    run.operation("withdraw A", () -> service.withdraw(10, () -> {}));
    run.operation("withdraw B", () -> service.withdraw(20, () -> {}));
  }

  private static void create(HikariDataSource bank) throws SQLException {
    execute(
        bank,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "INSERT INTO account VALUES (1, 100)");
  }

  /** Without a reset. */
  public static class OfAService {
    private final HikariDataSource bank = bank(4);

    @InterleaveTest
    void racing(Interleaving run) throws SQLException {
      create(bank);
      twoWithdraw(run, bank, false);
    }

    @InterleaveTest(expect = Verdict.RACE)
    void racingAsExpected(Interleaving run) throws SQLException {
      create(bank);
      twoWithdraw(run, bank, false);
    }

    @InterleaveTest
    void locking(Interleaving run) throws SQLException {
      create(bank);
      twoWithdraw(run, bank, true);
    }

    @InterleaveTest
    void withoutDatabase(Interleaving run) {
      run.operation("A", () -> {}).operation("B", () -> {});
    }

    @AfterEach
    void close() {
      bank.close();
    }
  }

  /** With a reset of the application's own. */
  public static class WithReset {
    private static final HikariDataSource BANK = bank(4);

    @BeforeEach
    void reset() throws SQLException {
      execute(
          BANK,
          "CREATE TABLE IF NOT EXISTS account (id INT PRIMARY KEY, balance INT)",
          "DELETE FROM account",
          "INSERT INTO account VALUES (1, 100)");
    }

    @InterleaveTest
    void racing(Interleaving run) {
      twoWithdraw(run, BANK, false);
    }

    @InterleaveTest
    void locking(Interleaving run) {
      twoWithdraw(run, BANK, true);
    }

    /** With something of its own before each test, beside the reset. */
    @Nested
    class OfAnotherService {
      private boolean locks = true;

      @BeforeEach
      void unlock() {
        locks = false;
      }

      @InterleaveTest
      void nested(Interleaving run) {
        twoWithdraw(run, BANK, locks);
      }
    }

    @AfterAll
    static void close() {
      BANK.close();
    }
  }
}
