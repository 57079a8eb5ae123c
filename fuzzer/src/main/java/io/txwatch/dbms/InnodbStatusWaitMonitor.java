package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * MariaDB, and MySQL where {@code performance_schema} cannot be read. InnoDB's monitor ({@code SHOW
 * ENGINE INNODB STATUS}, which takes the privilege PROCESS) shows LOCK WAIT as long as a
 * transaction's lock is not granted, and, unlike {@code information_schema.innodb_trx}, without a
 * cache: whoever grants the lock clears it. It costs half of what the status counter does, which is
 * computed with all others; and that one is cleared by the waiter when it next runs.
 *
 * <p>A waiter is shown as one before InnoDB has looked whether it closes a circle ({@code
 * lock_wait}), so two that are about to be parted could pass for two that a third one blocks. The
 * counter counts those that have been looked at: where several wait, it has to account for all but
 * those whose foreign key's action waits ({@code row_update_cascade_for_mysql}, which is not
 * counted).
 *
 * <p>An UPDATE that may pass over a locked row (READ COMMITTED) is shown to wait for it for as long
 * as it takes to look whether it chooses the row; it is counted only if it waits.
 *
 * <p>Whom a transaction waits for is not shown, but for which row: who has waited for the same row
 * longer is before it.
 */
final class InnodbStatusWaitMonitor implements WaitMonitor {

  private static final Pattern WAITER =
      Pattern.compile(
          "^LOCK WAIT [\\s\\S]*?thread id (\\d+), .*query id (\\d+)", Pattern.MULTILINE);
  private static final Pattern ROW =
      Pattern.compile(
          "^RECORD LOCKS (space id \\d+ page no \\d+) .*\\nRecord lock, (heap no \\d+)",
          Pattern.MULTILINE);

  /** What waits to change a row, and the row's table; a foreign key's check waits to read one. */
  private static final Pattern CHANGE =
      Pattern.compile(
          "\\n([\\s\\S]*)\\n-+ TRX HAS BEEN WAITING .*\\n"
              + "RECORD LOCKS .* of table `[^`]*`\\.`([^`]+)` .*lock_mode X(.*)");

  private final Connection watcher;
  private final InnodbPurgeMonitor purges;
  private final Optional<String> note;

  /** Who waits, longest first. */
  private final Map<Long, Wait> waits = new LinkedHashMap<>();

  /**
   * A wait of a statement for a row.
   *
   * @param isCascade true if it is an action of a foreign key that waits
   * @param mayBeSkipped true if it may yet pass the row over, and not wait
   */
  private record Wait(String query, String row, boolean isCascade, boolean mayBeSkipped) {}

  /**
   * Takes the privilege PROCESS: without it this fails, rather than when somebody waits.
   *
   * @param note for {@link #note}
   */
  InnodbStatusWaitMonitor(Connection watcher, InnodbPurgeMonitor purges, Optional<String> note)
      throws SQLException {
    this.watcher = watcher;
    this.purges = purges;
    this.note = note;
    purges.readStatus(watcher);
  }

  @Override
  public Optional<String> note() {
    return note;
  }

  @Override
  public long sessionId(Connection connection) throws SQLException {
    return Sql.number(connection, "SELECT CONNECTION_ID()");
  }

  @Override
  public Map<Long, Set<Long>> waitGraph() throws SQLException {
    Map<Long, Wait> found = new LinkedHashMap<>();
    String[] transactions = purges.readStatus(watcher).split("\n---TRANSACTION ");
    for (int i = 1; i < transactions.length; i++) { // the first is what stands before
      Matcher waiter = WAITER.matcher(transactions[i]);
      if (waiter.find()) {
        long session = Long.parseLong(waiter.group(1));
        Matcher row = ROW.matcher(transactions[i]);
        Matcher change = CHANGE.matcher(transactions[i].substring(waiter.end()));
        boolean changes = change.find();
        boolean isCascade = changes && !namesTable(change.group(1), change.group(2));
        found.put(
            session,
            new Wait(
                waiter.group(2),
                row.find() ? row.group(1) + " " + row.group(2) : "of session " + session,
                isCascade,
                changes && !isCascade && change.group(3).contains("locks rec but not gap")));
      }
    }
    waits.entrySet().removeIf(wait -> !wait.getValue().equals(found.get(wait.getKey())));
    found.forEach(waits::putIfAbsent);
    Map<Long, Set<Long>> waiting = new HashMap<>();
    Map<String, Set<Long>> before = new HashMap<>();
    waits.forEach(
        (session, wait) -> {
          Set<Long> queue = before.computeIfAbsent(wait.row(), first -> new LinkedHashSet<>());
          waiting.put(session, Set.copyOf(queue));
          queue.add(session);
        });
    boolean isSure = found.size() <= 1 && found.values().stream().noneMatch(Wait::mayBeSkipped);
    return isSure || counterMatches(found.values()) ? waiting : Map.of();
  }

  /** True if a statement names a table: it waits in none that it does not, but its actions do. */
  private static boolean namesTable(String sql, String table) {
    return Pattern.compile("(?i)(?<!\\w)" + Pattern.quote(table) + "(?!\\w)").matcher(sql).find();
  }

  private boolean counterMatches(Collection<Wait> shown) throws SQLException {
    return currentRowLockWaits() == shown.stream().filter(wait -> !wait.isCascade()).count();
  }

  /** How many wait, or have been set free and not run since. */
  private long currentRowLockWaits() throws SQLException {
    try (Statement statement = watcher.createStatement();
        ResultSet result =
            statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")) {
      result.next();
      return result.getLong(2);
    }
  }

  @Override
  public void close() throws SQLException {
    watcher.close();
  }
}
