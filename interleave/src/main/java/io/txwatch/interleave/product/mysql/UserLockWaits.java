package io.txwatch.interleave.product.mysql;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of MySQL and MariaDB that wait in {@code GET_LOCK}. The state of a session names
 * such a wait until the session runs again, but {@code IS_USED_LOCK} names the session to which a
 * lock was granted, if that has not run since, too: a session waits only if it is another one.
 *
 * <p>The name of the lock is read from the statement. Where it is no literal there, the state of
 * the session must be the same twice.
 */
final class UserLockWaits {

  private static final String WAITS =
      "SELECT ID, INFO FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'";

  /** A session that was released has usually run within this. */
  private static final long STALE_MILLIS = 20;

  private final Connection watcher;

  UserLockWaits(Connection watcher) {
    this.watcher = watcher;
  }

  /** The sessions that wait, each with those that have what it waits for, as far as is known. */
  Map<Long, Set<Long>> read() throws SQLException {
    Map<Long, Set<Long>> waiting = new HashMap<>();
    Set<Long> unnamed = new HashSet<>();
    for (Map.Entry<Long, String> shown : shown().entrySet()) {
      long session = shown.getKey();
      List<String> names = names(shown.getValue());
      if (names.isEmpty()) {
        unnamed.add(session);
        continue;
      }
      Set<Long> owners = new HashSet<>();
      for (String name : names) {
        Long owner = owner(name);
        if (owner != null && owner != session) {
          owners.add(owner);
        }
      }
      if (!owners.isEmpty()) {
        waiting.put(session, owners);
      }
    }
    if (!unnamed.isEmpty()) {
      pause();
      unnamed.retainAll(shown().keySet());
      unnamed.forEach(session -> waiting.put(session, Set.of()));
    }
    return waiting;
  }

  /** The statements of the sessions that are shown as waiting. */
  private Map<Long, String> shown() throws SQLException {
    Map<Long, String> statements = new HashMap<>();
    try (Statement statement = watcher.createStatement();
        ResultSet result = statement.executeQuery(WAITS)) {
      while (result.next()) {
        String sql = result.getString(2);
        statements.put(result.getLong(1), sql == null ? "" : sql);
      }
    }
    return statements;
  }

  /**
   * The names of the locks that a statement requests, as literals; none unless all are literals.
   * One with a backslash is left out: what it means depends on the session's SQL mode.
   */
  static List<String> names(String sql) {
    Tokens tokens = Tokenizer.tokenize(sql, Dialect.MYSQL.grammar());
    int[] calls =
        IntStream.range(0, tokens.count())
            .filter(i -> tokens.isWord(i, "GET_LOCK") && tokens.isOpen(i + 1))
            .toArray();
    List<String> names =
        IntStream.of(calls)
            .filter(
                i ->
                    i + 3 < tokens.count()
                        && tokens.is(i + 2, TokenKind.STRING)
                        && tokens.is(i + 3, TokenKind.COMMA)
                        && tokens.text(i + 2).indexOf('\\') < 0)
            .mapToObj(i -> tokens.text(i + 2))
            .toList();
    return names.size() == calls.length ? names : List.of();
  }

  /** The session that has a lock, or to which it was granted; null if it is free. */
  private @Nullable Long owner(String literal) throws SQLException {
    try (Statement statement = watcher.createStatement();
        ResultSet result = statement.executeQuery("SELECT IS_USED_LOCK(" + literal + ")")) {
      result.next();
      long owner = result.getLong(1);
      return result.wasNull() ? null : owner;
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(STALE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
