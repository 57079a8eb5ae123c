package io.txwatch.testcase;

import java.util.Optional;

/**
 * A statement that a session submits.
 *
 * @param id its number in the case, from 1 in the order of submission; it stays the same when other
 *     steps are dropped
 * @param session the session's name: {@code T1}
 * @param label the name of its result in predicates, if it has one
 * @param sql its text, with the dialect's placeholders
 */
public record Step(int id, String session, Optional<String> label, String sql) {

  /** The role of a step in its transaction. */
  public enum Role {
    /** It begins an explicit transaction. */
    BEGIN,
    /** It commits the transaction. */
    COMMIT,
    /** It rolls the transaction back. */
    ROLLBACK,
    /** It reads or writes, in the open transaction or in autocommit mode. */
    WORK
  }

  /** The role of this step. Called often, so the common texts are compared first. */
  public Role role() {
    if (!mayControlTransaction()) {
      return Role.WORK;
    }
    switch (sql) {
      case "BEGIN":
        return Role.BEGIN;
      case "COMMIT":
        return Role.COMMIT;
      case "ROLLBACK":
        return Role.ROLLBACK;
      default:
        return controlRole();
    }
  }

  private Role controlRole() {
    SqlText text = SqlText.of(sql);
    if (text.startsWith("BEGIN") || text.startsWith("START", "TRANSACTION")) {
      return Role.BEGIN;
    }
    int words = text.startsWithAny("COMMIT", "ROLLBACK") && text.tokens().isWord(1, "WORK") ? 2 : 1;
    if (text.tokens().count() > words) {
      return Role.WORK;
    }
    return switch (text.firstWord()) {
      case "COMMIT", "END" -> Role.COMMIT;
      case "ROLLBACK" -> Role.ROLLBACK;
      default -> Role.WORK;
    };
  }

  /** A quick check: false if no transaction control statement begins like this. */
  private boolean mayControlTransaction() {
    char first = sql.isEmpty() ? ' ' : sql.charAt(0);
    char second = sql.length() < 2 ? ' ' : sql.charAt(1);
    return switch (first) {
      case 'S', 's' -> second == 'T' || second == 't';
      case 'R', 'r' -> second == 'O' || second == 'o';
      case 'B', 'b', 'C', 'c', 'E', 'e' -> true;
      default -> Character.isWhitespace(first);
    };
  }
}
