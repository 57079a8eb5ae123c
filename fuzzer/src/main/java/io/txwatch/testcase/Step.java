package io.txwatch.testcase;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

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

  private static final Pattern CONTROL =
      Pattern.compile("\\s*(?:BEGIN|START|COMMIT|END|ROLLBACK)\\b", Pattern.CASE_INSENSITIVE);

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
        return CONTROL.matcher(sql).lookingAt() ? controlRole() : Role.WORK;
    }
  }

  private Role controlRole() {
    String words = sql.strip().toUpperCase(Locale.ROOT).replaceAll("\\s+", " ");
    if (words.equals("BEGIN") || words.startsWith("BEGIN ") || words.startsWith("START TRANS")) {
      return Role.BEGIN;
    }
    return switch (words) {
      case "COMMIT", "COMMIT WORK", "END" -> Role.COMMIT;
      case "ROLLBACK", "ROLLBACK WORK" -> Role.ROLLBACK;
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
