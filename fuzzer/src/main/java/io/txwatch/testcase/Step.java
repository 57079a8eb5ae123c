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
 * @param label what its result is called in predicates, if it is called anything
 * @param sql its text, with the dialect's words still in braces
 */
public record Step(int id, String session, Optional<String> label, String sql) {

  private static final Pattern CONTROL =
      Pattern.compile("\\s*(?:BEGIN|START|COMMIT|END|ROLLBACK)\\b", Pattern.CASE_INSENSITIVE);

  /** What a step is to its transaction. */
  public enum Role {
    /** It begins an explicit transaction. */
    BEGIN,
    /** It ends one and keeps what it did. */
    COMMIT,
    /** It ends one and undoes what it did. */
    ROLLBACK,
    /** It reads or writes, in the transaction that is open or as one of its own. */
    WORK
  }

  /** What this step is to its transaction. Asked for often: most are one of the first few. */
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

  /** False if it begins as no word does that begins or ends a transaction. */
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
