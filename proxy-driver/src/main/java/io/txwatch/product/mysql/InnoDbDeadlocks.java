package io.txwatch.product.mysql;

import io.txwatch.capture.DeadlockSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * InnoDB's deadlocks. SHOW ENGINE INNODB STATUS, which needs the privilege PROCESS, describes the
 * latest one with the numbers of its connections.
 */
final class InnoDbDeadlocks implements DeadlockSource {

  static final InnoDbDeadlocks INSTANCE = new InnoDbDeadlocks();
  static final int DEADLOCK = 1213;

  private static final String SECTION = "\nLATEST DETECTED DEADLOCK\n";

  /** The heading of the section that follows. */
  private static final String NEXT = "\nTRANSACTIONS\n";

  /** Of each transaction the first line that names a thread: its statement, which follows, may. */
  private static final Pattern THREAD =
      Pattern.compile(
          "(?ms)^\\*\\*\\* \\(\\d+\\) TRANSACTION:$.*?^(?:MySQL|MariaDB) thread id (\\d{1,18})");

  private InnoDbDeadlocks() {}

  @Override
  public boolean isDeadlock(SQLException error) {
    return error.getErrorCode() == DEADLOCK;
  }

  @Override
  public Optional<String> statusQuery() {
    return Optional.of("SHOW ENGINE INNODB STATUS");
  }

  @Override
  public List<Long> connections(String status) {
    int from = status.indexOf(SECTION);
    int to = status.indexOf(NEXT, Math.max(from, 0));
    if (from < 0 || to < 0) {
      return List.of();
    }
    return THREAD
        .matcher(status.substring(from, to))
        .results()
        .map((MatchResult thread) -> Long.valueOf(thread.group(1)))
        .distinct()
        .toList();
  }
}
