package io.txwatch.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;
import java.util.Optional;

/**
 * What kind of statement a text is, by its first words; and whether the planner parses it.
 *
 * @param kind what histories call it
 * @param hasShape true if it is one that the grammar knows
 * @param reason why its rows are not seen although it may touch some; empty if it touches none, or
 *     has a shape
 * @param detail for people
 */
record StatementClass(
    StatementKind kind, boolean hasShape, Optional<GapReason> reason, String detail) {

  /** Nothing that we know. */
  /** As in CREATE OR REPLACE TEMPORARY TABLE. */
  private static final int MAX_WORDS_TO_TABLE = 5;

  static final StatementClass UNKNOWN =
      new StatementClass(
          StatementKind.OTHER,
          false,
          Optional.of(GapReason.NOT_UNDERSTOOD),
          "an unknown statement");

  private static final StatementClass NO_ROWS =
      new StatementClass(StatementKind.OTHER, false, Optional.empty(), "");

  /** True if it is not rewritten but may contain a query. */
  boolean holdsQuery() {
    return !hasShape
        && (kind == StatementKind.DDL
            || reason.filter(r -> r == GapReason.OPAQUE).isPresent()
            || detail.equals("EXPLAIN"));
  }

  static StatementClass of(Tokens tokens, Dialect dialect, int from, int to) {
    if (!tokens.is(from, TokenKind.WORD)) {
      if (tokens.isOpen(from)) {
        return shaped(StatementKind.SELECT);
      }
      boolean call = tokens.is(from, TokenKind.OPEN) && tokens.charAt(from) == '{';
      return call ? opaque("a call") : UNKNOWN;
    }
    String verb = tokens.text(from).toUpperCase(Locale.ROOT);
    return switch (verb) {
      case "SELECT", "VALUES", "TABLE" -> shaped(selectKind(tokens, from, to));
      case "WITH" -> shaped(mainKind(tokens, from, to));
      case "INSERT" -> shaped(StatementKind.INSERT);
      case "REPLACE" -> shaped(StatementKind.REPLACE);
      case "UPDATE" -> shaped(StatementKind.UPDATE);
      case "DELETE" -> shaped(StatementKind.DELETE);
      case "MERGE" -> merge(tokens, dialect, from, to);
      case "CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "COMMENT", "REINDEX" ->
          ddl(tokens, from, to);
      case "CALL",
          "EXEC",
          "EXECUTE",
          "DO",
          "COPY",
          "LOAD",
          "HANDLER",
          "PREPARE",
          "DECLARE",
          "FETCH",
          "IMPORT",
          "RUNSCRIPT",
          "SCRIPT",
          "BACKUP",
          "LOADXML",
          "REFRESH",
          "MOVE",
          "BINLOG" ->
          prepareTransaction(tokens, from) ? NO_ROWS : opaque(verb);
      case "EXPLAIN", "DESCRIBE", "DESC" -> explain(tokens, from, to);
      case "BEGIN",
          "START",
          "COMMIT",
          "END",
          "ROLLBACK",
          "ABORT",
          "SAVEPOINT",
          "RELEASE",
          "SET",
          "RESET",
          "SHOW",
          "USE",
          "PRAGMA",
          "VACUUM",
          "ANALYZE",
          "ANALYSE",
          "OPTIMIZE",
          "REPAIR",
          "CHECK",
          "CHECKSUM",
          "FLUSH",
          "KILL",
          "LOCK",
          "UNLOCK",
          "GRANT",
          "REVOKE",
          "DISCARD",
          "LISTEN",
          "NOTIFY",
          "UNLISTEN",
          "CLUSTER",
          "CHECKPOINT",
          "ATTACH",
          "DETACH",
          "HELP",
          "SHUTDOWN",
          "CLOSE",
          "DEALLOCATE",
          "INSTALL",
          "UNINSTALL",
          "CACHE",
          "SECURITY",
          "REASSIGN",
          "SIGNAL",
          "PURGE",
          "CHANGE",
          "STOP",
          "XA" ->
          NO_ROWS;
      default -> UNKNOWN;
    };
  }

  private static StatementClass shaped(StatementKind kind) {
    return new StatementClass(kind, true, Optional.empty(), "");
  }

  /** H2's older form, without USING, writes what it is given over what is there. */
  private static StatementClass merge(Tokens tokens, Dialect dialect, int from, int to) {
    boolean known = dialect.grammar().has(Syntax.MERGE);
    for (int i = from; i < to && known; i = tokens.next(i)) {
      if (tokens.isWord(i, "USING")) {
        return shaped(StatementKind.MERGE);
      }
    }
    return new StatementClass(StatementKind.MERGE, false, Optional.of(GapReason.SHAPE), "MERGE");
  }

  private static StatementClass opaque(String detail) {
    return new StatementClass(StatementKind.OTHER, false, Optional.of(GapReason.OPAQUE), detail);
  }

  private static boolean prepareTransaction(Tokens tokens, int from) {
    return tokens.areWords(from, "PREPARE", "TRANSACTION");
  }

  private static StatementKind selectKind(Tokens tokens, int from, int to) {
    for (int i = from; i < to; i = tokens.next(i)) {
      if ((tokens.isWord(i, "FOR") && tokens.isAnyWord(i + 1, "UPDATE", "SHARE", "NO", "KEY"))
          || tokens.areWords(i, "LOCK", "IN", "SHARE", "MODE")) {
        return StatementKind.LOCKING_SELECT;
      }
    }
    return StatementKind.SELECT;
  }

  /** The statement behind WITH, for the kind alone; a write inside a CTE counts as the write. */
  private static StatementKind mainKind(Tokens tokens, int from, int to) {
    for (int i = from; i < to; i++) {
      boolean begins = i > from && (tokens.isOpen(i - 1) || tokens.is(i - 1, TokenKind.CLOSE));
      if (begins && tokens.isWord(i, "INSERT")) {
        return StatementKind.INSERT;
      }
      if (begins && tokens.isWord(i, "UPDATE")) {
        return StatementKind.UPDATE;
      }
      if (begins && tokens.isWord(i, "DELETE")) {
        return StatementKind.DELETE;
      }
      if (begins && tokens.isWord(i, "MERGE")) {
        return StatementKind.MERGE;
      }
    }
    return selectKind(tokens, from, to);
  }

  /**
   * TRUNCATE is sent alone: it locks the whole table, and a read beside it would first take a
   * weaker lock, which two sessions could then not both strengthen.
   */
  private static StatementClass ddl(Tokens tokens, int from, int to) {
    boolean rows = tokens.isWord(from, "TRUNCATE");
    boolean createsTable =
        tokens.isWord(from, "CREATE")
            && tokens.hasAnyWord(from + 1, Math.min(to, from + MAX_WORDS_TO_TABLE), "TABLE");
    for (int i = from; i < to && createsTable; i = tokens.next(i)) {
      rows |= tokens.isAnyWord(i, "AS", "SELECT");
    }
    return new StatementClass(
        StatementKind.DDL,
        false,
        rows ? Optional.of(GapReason.OPAQUE) : Optional.empty(),
        rows ? "a definition that writes rows" : "");
  }

  private static StatementClass explain(Tokens tokens, int from, int to) {
    for (int i = from + 1; i < Math.min(to, from + 12); i++) {
      if (tokens.isAnyWord(i, "ANALYZE", "ANALYSE")) {
        return opaque("EXPLAIN ANALYZE");
      }
    }
    return NO_ROWS;
  }
}
