package shop;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.junit.WatchTransactions;
import org.junit.jupiter.api.Test;

/** Tests of an application, which other tests run. */
public final class WatchedTests {

  private WatchedTests() {}

  /** One test with a race, one with locks. */
  @WatchTransactions
  public static class OfAClass {
    @Test
    void racing() throws Exception {
      Withdrawals.runTwo(false);
    }

    @Test
    void locking() throws Exception {
      Withdrawals.runTwo(true);
    }
  }

  /** Annotated methods beside one without. */
  public static class OfMethods {
    @Test
    @WatchTransactions
    void racing() throws Exception {
      Withdrawals.runTwo(false);
    }

    @Test
    void notWatched() throws Exception {
      Withdrawals.runTwo(false);
    }

    @Test
    @WatchTransactions(failOn = Verdict.VIOLATION)
    void racingWherePermitted() throws Exception {
      Withdrawals.runTwo(false);
    }

    @Test
    @WatchTransactions(ignore = Phenomenon.LOST_UPDATE)
    void racingWhereIgnored() throws Exception {
      Withdrawals.runTwo(false);
    }

    @Test
    @WatchTransactions
    void withoutDatabase() {}

    @Test
    @WatchTransactions(requireStatements = false)
    void withoutDatabaseOnPurpose() {}
  }

  /** Without annotations. */
  public static class Plain {
    @Test
    void racing() throws Exception {
      Withdrawals.runTwo(false);
    }

    @Test
    void locking() throws Exception {
      Withdrawals.runTwo(true);
    }
  }
}
