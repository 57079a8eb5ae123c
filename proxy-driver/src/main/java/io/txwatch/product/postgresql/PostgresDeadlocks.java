package io.txwatch.product.postgresql;

import io.txwatch.capture.DeadlockSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PostgreSQL's deadlocks. The detail of the error has a line for each wait: "Process 7 waits for
 * ShareLock on transaction 812; blocked by process 9." It may be in another language, so that only
 * the first and the last number of a line count, and that the lines form a cycle.
 */
final class PostgresDeadlocks implements DeadlockSource {

  static final PostgresDeadlocks INSTANCE = new PostgresDeadlocks();

  private static final String DEADLOCK = "40P01";

  /** Deferred constraints are checked by COMMIT, by triggers, for which it may wait. */
  private static final String DEFERRED =
      PgCatalogNames.qualify("SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgdeferrable");

  private static final Pattern WAIT =
      Pattern.compile("\\D*(?<waiting>\\d{1,18})\\b.*?(?<blocking>\\d{1,18})\\D*");

  private PostgresDeadlocks() {}

  @Override
  public boolean isDeadlock(SQLException error) {
    return DEADLOCK.equals(error.getSQLState());
  }

  @Override
  public List<Long> connections(SQLException error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof SQLException one) {
        for (SQLException next = one; next != null; next = next.getNextException()) {
          String detail = detail(next);
          if (!detail.isEmpty()) {
            return inCycle(detail);
          }
        }
      }
    }
    return List.of();
  }

  @Override
  public Optional<String> waitingCommitsQuery() {
    return Optional.of(DEFERRED);
  }

  private static String detail(SQLException error) {
    try {
      Object server = error.getClass().getMethod("getServerErrorMessage").invoke(error);
      Object detail =
          server == null ? null : server.getClass().getMethod("getDetail").invoke(server);
      return detail == null ? "" : detail.toString();
    } catch (ReflectiveOperationException e) {
      return ""; // not an error of the server
    }
  }

  static List<Long> inCycle(String detail) {
    List<Long> processes = new ArrayList<>();
    long first = 0;
    long blocking = 0;
    for (String line : detail.split("\n")) {
      Matcher wait = WAIT.matcher(line);
      if (!wait.matches()) {
        return List.of();
      }
      long waiting = Long.parseLong(wait.group("waiting"));
      if (processes.isEmpty()) {
        first = waiting;
      } else if (waiting != blocking) {
        return List.of();
      }
      processes.add(waiting);
      blocking = Long.parseLong(wait.group("blocking"));
    }
    return blocking == first ? processes : List.of();
  }
}
