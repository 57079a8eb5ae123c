package io.txwatch.oracle.troc;

import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import java.util.Optional;

/**
 * The form of a statement, as far as its view depends on it.
 *
 * @param kind its kind
 * @param sql its text
 * @param table the table that it writes, or whose rows it locks, as in the text; empty if the text
 *     is not recognized
 */
record StatementForm(Kind kind, String sql, String table) {

  /** The kinds of statements (Troc, Listing 1). */
  enum Kind {
    /** A plain query. */
    READ,
    /** A query that locks the rows it reads. */
    LOCKING_READ,
    /** An INSERT. */
    INSERT,
    /** An INSERT that updates or replaces existing rows. */
    UPSERT,
    /** An UPDATE. */
    UPDATE,
    /** A DELETE. */
    DELETE,
    /** Sets, releases, or rolls back to a savepoint. */
    SAVEPOINT,
    /** Any other statement. */
    OTHER
  }

  /** What a statement does with its savepoint. */
  enum SavepointAction {
    /** Sets it. */
    SET,
    /** Rolls back to it. */
    ROLL_BACK,
    /** Releases it. */
    RELEASE
  }

  static StatementForm of(String sql) {
    SqlText text = SqlText.of(sql);
    if (text.isSavepoint()) {
      return new StatementForm(Kind.SAVEPOINT, sql, "");
    }
    if (StatementText.isQuery(sql)) {
      if (lockClause(text.tokens()) < 0) {
        return new StatementForm(Kind.READ, sql, "");
      }
      return new StatementForm(
          Kind.LOCKING_READ, sql, lockedTable(text.tokens()).map(text::text).orElse(""));
    }
    SqlText.Write write = text.write().orElse(null);
    if (write == null || write.name().isEmpty()) {
      return new StatementForm(Kind.OTHER, sql, "");
    }
    Kind kind = kind(text, write);
    return new StatementForm(kind, sql, kind == Kind.OTHER ? "" : text.text(write.name()));
  }

  private static Kind kind(SqlText text, SqlText.Write write) {
    return switch (write.verb()) {
      case "INSERT" ->
          text.has("DUPLICATE", "KEY", "UPDATE")
                  || text.has("DO", "UPDATE", "SET")
                  || text.startsWith("INSERT", "OR", "REPLACE")
              ? Kind.UPSERT
              : Kind.INSERT;
      case "REPLACE", "MERGE" -> Kind.UPSERT;
      case "DELETE" -> Kind.DELETE;
      default -> text.tokens().isWord(write.name().to(), "SET") ? Kind.UPDATE : Kind.OTHER;
    };
  }

  /** Where the clause begins with which a query ends and locks rows; -1 if there is none. */
  private static int lockClause(Tokens tokens) {
    int end = tokens.count();
    if (tokens.areWords(end - 4, "LOCK", "IN", "SHARE", "MODE")
        || tokens.areWords(end - 4, "FOR", "NO", "KEY", "UPDATE")) {
      return end - 4;
    }
    if (tokens.areWords(end - 3, "FOR", "KEY", "SHARE")) {
      return end - 3;
    }
    return tokens.isWord(end - 2, "FOR") && tokens.isAnyWord(end - 1, "UPDATE", "SHARE")
        ? end - 2
        : -1;
  }

  /** The table of a locking query that returns rows of one table as they are. */
  private static Optional<Span> lockedTable(Tokens tokens) {
    int from = 1;
    while (from < tokens.count()
        && !tokens.isAnyWord(from, "FROM", "DISTINCT")
        && !tokens.isOpen(from)) {
      from++;
    }
    int end = tokens.nameEnd(from + 1);
    boolean isPlain =
        tokens.isWord(0, "SELECT")
            && tokens.isWord(from, "FROM")
            && end > from + 1
            && lockClause(tokens) >= end
            && (end == lockClause(tokens) || tokens.isWord(end, "WHERE"))
            && !tokens.hasAnyWord(end, tokens.count(), "SELECT", "GROUP", "LIMIT");
    return isPlain ? Optional.of(new Span(from + 1, end)) : Optional.empty();
  }

  /** For a savepoint statement: what it does. */
  SavepointAction savepointAction() {
    return switch (SqlText.of(sql).firstWord()) {
      case "SAVEPOINT" -> SavepointAction.SET;
      case "ROLLBACK" -> SavepointAction.ROLL_BACK;
      default -> SavepointAction.RELEASE;
    };
  }

  /** For a savepoint statement: the savepoint's name. */
  String savepointName() {
    return SqlText.of(sql).savepoint();
  }

  /** The table of which it returns all rows and columns, if it does nothing else. */
  Optional<String> wholeTable() {
    SqlText text = SqlText.of(sql);
    Tokens tokens = text.tokens();
    boolean isWhole =
        tokens.isWord(0, "SELECT")
            && tokens.isOperator(1, '*')
            && tokens.isWord(2, "FROM")
            && tokens.nameEnd(3) == tokens.count();
    return isWhole ? Optional.of(text.from(3)) : Optional.empty();
  }

  /** True if it handles duplicate keys. */
  boolean resolvesConflicts() {
    SqlText text = SqlText.of(sql);
    return kind == Kind.UPSERT
        || (kind == Kind.INSERT
            && (text.startsWith("INSERT", "IGNORE")
                || text.startsWith("INSERT", "OR", "IGNORE")
                || text.has("ON", "CONFLICT")));
  }

  boolean isWrite() {
    return kind == Kind.INSERT || kind == Kind.UPSERT || kind == Kind.UPDATE || kind == Kind.DELETE;
  }

  /** True if it contains a query: in a write, or in another query. */
  boolean hasSubquery() {
    SqlText text = SqlText.of(sql);
    int first = text.indexOf(0, "SELECT");
    return first >= 0 && (isWrite() || text.indexOf(first + 1, "SELECT") >= 0);
  }

  /** True if it joins its table with others: an UPDATE … FROM, a DELETE … USING. */
  boolean joins() {
    Tokens tokens = SqlText.of(sql).tokens();
    String clause = kind == Kind.UPDATE ? "FROM" : kind == Kind.DELETE ? "USING" : "";
    for (int i = 1; i < tokens.count(); i = tokens.next(i)) {
      if (tokens.isWord(i, clause) && !tokens.isWord(i - 1, "DISTINCT")) {
        return true;
      }
    }
    return false;
  }

  /** True if a query takes shared locks. */
  boolean locksShared() {
    Tokens tokens = SqlText.of(sql).tokens();
    return tokens.hasAnyWord(Math.max(0, lockClause(tokens)), tokens.count(), "SHARE");
  }

  /** True if its effect depends on the order of rows. */
  boolean dependsOnRowOrder() {
    return StatementText.dependsOnRowOrder(sql);
  }

  /** True if an additional column of its tables would change its meaning. */
  boolean dependsOnColumnCount() {
    return StatementText.dependsOnColumnCount(sql);
  }

  /**
   * Its text, changed to mark in {@code column} the rows it updates, even if their values stay
   * equal.
   */
  String withTouchedMark(String column) {
    SqlText text = SqlText.of(sql);
    return kind == Kind.UPDATE || kind == Kind.UPSERT
        ? text.withBefore(text.assignments(), column + " = 1, ")
        : sql;
  }

  /** For a locking query: a query for {@code column} of the rows it locks. */
  Optional<String> lockedRowsQuery(String column) {
    SqlText text = SqlText.of(sql);
    return lockedTable(text.tokens())
        .map(table -> new Span(table.from() - 1, lockClause(text.tokens())))
        .map(from -> "SELECT " + column + " " + text.text(from));
  }
}
