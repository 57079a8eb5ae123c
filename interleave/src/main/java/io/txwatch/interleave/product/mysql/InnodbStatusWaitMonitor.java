package io.txwatch.interleave.product.mysql;

import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
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
 * Detects lock waits on MariaDB, and on MySQL where {@code performance_schema} cannot be read.
 * {@code SHOW ENGINE INNODB STATUS}, which requires the privilege PROCESS, shows LOCK WAIT until a
 * transaction's lock is granted. Unlike {@code information_schema.innodb_trx} it is not cached: the
 * session that grants the lock clears the flag. It costs half as much as the status counter, which
 * is computed together with all others and which the waiter clears only when it next runs.
 *
 * <p>A session is shown as waiting before InnoDB has checked for a deadlock ({@code lock_wait}), so
 * two sessions whose deadlock is about to be resolved could look like two that a third one blocks.
 * The status counter counts only waits that have been checked: if several sessions wait, it must
 * account for all of them. A foreign key's action ({@code row_update_cascade_for_mysql}) may be
 * counted or not: InnoDB counts a wait by a state of the statement that its earlier rows leave
 * behind.
 *
 * <p>An UPDATE that may skip a locked row (READ COMMITTED) is shown as waiting while it checks
 * whether the row matches; it is counted only if it waits.
 *
 * <p>The text does not name the blockers of a transaction, but the row: sessions that have waited
 * longer for the same row come first.
 *
 * <p>MySQL 5.7 and later and MariaDB 10.2 leave out transactions that have written nothing. If more
 * sessions wait than are shown, {@link HiddenReaders} has the others.
 */
final class InnodbStatusWaitMonitor implements WaitMonitor {

  private static final Pattern WAITER =
      Pattern.compile(
          "^LOCK WAIT [\\s\\S]*?thread id (\\d+), .*query id (\\d+)", Pattern.MULTILINE);
  private static final Pattern ROW =
      Pattern.compile(
          "^RECORD LOCKS (space id \\d+ page no \\d+) .*\\nRecord lock, (heap no \\d+)",
          Pattern.MULTILINE);

  /** A wait to change a row, with the row's table; a foreign key check waits to read one. */
  private static final Pattern CHANGE =
      Pattern.compile(
          "\\n([\\s\\S]*)\\n-+ TRX HAS BEEN WAITING .*\\n"
              + "RECORD LOCKS .* of table (?:`[^`]*`)+\\.((?:`[^`]*`)+) .*lock_mode X(.*)");

  private final Connection watcher;
  private final MetadataLockWaits tableLocks;
  private final Optional<String> note;
  private final Optional<HiddenReaders> hiddenReaders;

  /** The waiting sessions, longest wait first. */
  private final Map<Long, Wait> waits = new LinkedHashMap<>();

  /**
   * A statement's wait for a row.
   *
   * @param isCascade true if a foreign key's action waits
   * @param mayBeSkipped true if the statement may still skip the row instead of waiting
   */
  record Wait(String query, String row, boolean isCascade, boolean mayBeSkipped) {}

  /**
   * Fails without the privilege PROCESS now, rather than when a session first blocks.
   *
   * @param note for {@link #note}
   */
  InnodbStatusWaitMonitor(Connection watcher, Optional<String> note) throws SQLException {
    this.watcher = watcher;
    this.tableLocks = new MetadataLockWaits(watcher);
    this.note = note;
    this.hiddenReaders = HiddenReaders.of(watcher);
    readStatus();
  }

  @Override
  public Optional<String> note() {
    return note;
  }

  @Override
  public long sessionId(Connection connection) throws SQLException {
    return WaitMonitor.number(connection, "SELECT CONNECTION_ID()");
  }

  @Override
  public Map<Long, Set<Long>> waitGraph() throws SQLException {
    Map<Long, Wait> found = new LinkedHashMap<>();
    String[] transactions = readStatus().split("\n---TRANSACTION ");
    for (int i = 1; i < transactions.length; i++) { // the first part is the header
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
    if (hiddenReaders.isPresent() && currentRowLockWaits() > found.size()) {
      hiddenReaders.get().read().forEach(found::putIfAbsent);
      if (!counterMatches(found.values())) {
        return tableLocks.addTo(Map.of());
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
    return tableLocks.addTo(isSure || counterMatches(found.values()) ? waiting : Map.of());
  }

  private String readStatus() throws SQLException {
    try (Statement statement = watcher.createStatement();
        ResultSet result = statement.executeQuery("SHOW ENGINE INNODB STATUS")) {
      result.next();
      return result.getString(3);
    }
  }

  /**
   * True if a statement names a table: it waits only for the tables that it names, but its actions
   * wait for others. A text in double quotes may be a name, by the SQL mode ANSI_QUOTES.
   *
   * @param table its name in quotes
   */
  static boolean namesTable(String sql, String table) {
    Tokens tokens = Tokenizer.tokenize(sql, Dialect.MYSQL.grammar());
    String wanted = Identifiers.fold(table);
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.isName(i) && tokens.folded(i).equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  private boolean counterMatches(Collection<Wait> shown) throws SQLException {
    long counted = currentRowLockWaits();
    long cascades = shown.stream().filter(Wait::isCascade).count();
    return shown.size() - cascades <= counted && counted <= shown.size();
  }

  /** The number of sessions that wait, or were released and have not run since. */
  private long currentRowLockWaits() throws SQLException {
    try (Statement statement = watcher.createStatement();
        ResultSet result =
            statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")) {
      result.next();
      return result.getLong(2);
    }
  }

  @Override
  public void expectTableLocks(boolean expected) {
    tableLocks.expect(expected);
  }

  @Override
  public boolean hasUncertainWaits(Collection<Long> sessions) {
    return tableLocks.hasFound(sessions);
  }

  @Override
  public void close() throws SQLException {
    watcher.close();
  }
}
