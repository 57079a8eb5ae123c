package io.txwatch.testcase;

import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;

/** Classifies statements by their text. */
public final class StatementText {

  /** The header of a case whose statements are prepared. */
  public static final String JDBC_HEADER = "jdbc";

  /** The value of that header. */
  public static final String PREPARED = "prepared";

  /** The header with the settings of the sessions: {@code name=value}, separated by commas. */
  public static final String SETTINGS_HEADER = "settings";

  private StatementText() {}

  /** True if it may change something besides rows: a definition, a setting, a lock of a table. */
  public static boolean changesMoreThanRows(String sql) {
    SqlText text = SqlText.of(sql);
    return changesDefinitions(sql)
        || text.startsWithAny("SET", "PRAGMA", "CALL", "DO", "LOCK", "UNLOCK")
        || (text.startsWith("BEGIN") && text.tokens().is(1, TokenKind.WORD));
  }

  /** True if it defines a table, an index or the like, or removes all rows in that way. */
  public static boolean changesDefinitions(String sql) {
    return SqlText.of(sql).startsWithAny("CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME");
  }

  /** True if it defines a constraint that is checked when the transaction commits. */
  public static boolean defersConstraints(String sql) {
    return SqlText.of(sql).has("INITIALLY", "DEFERRED");
  }

  /** True if it locks whole tables, or ends such locks. */
  public static boolean locksTables(String sql) {
    SqlText text = SqlText.of(sql);
    return text.startsWithAny("LOCK", "UNLOCK") && text.tokens().isAnyWord(1, "TABLE", "TABLES");
  }

  /** True if it locks tables until the session unlocks them, whatever transactions end. */
  public static boolean locksTablesOfSession(String sql) {
    return SqlText.of(sql).startsWith("LOCK", "TABLES");
  }

  /** True if its session may hold locks afterwards that are not those of a begun transaction. */
  public static boolean mayKeepLocks(String sql) {
    SqlText text = SqlText.of(sql);
    return text.startsWithAny(
            "LOCK", "FLUSH", "XA", "HANDLER", "SET", "CALL", "DO", "PREPARE", "EXECUTE")
        || text.names().stream().anyMatch(StatementText::locksForSession);
  }

  /** True if it calls a function that locks until the session unlocks it. */
  public static boolean takesLocksOfSession(String sql) {
    return SqlText.of(sql).names().stream().anyMatch(StatementText::locksForSession);
  }

  private static boolean locksForSession(String function) {
    return function.startsWith("get_lock")
        || function.startsWith("pg_advisory_lock")
        || function.startsWith("pg_try_advisory_lock");
  }

  /**
   * True if it is a query whose FROM lists nothing but functions that take or release advisory
   * locks, so that it uses no table.
   */
  public static boolean selectsFromLocks(String sql) {
    SqlText text = SqlText.of(sql);
    List<Source> sources = new ArrayList<>();
    text.tree()
        .forEach(
            node -> {
              if (node instanceof Source source) {
                sources.add(source);
              }
            });
    return text.tree() instanceof Statement.Select
        && !text.hasAny("INTO", "TABLE")
        && !sources.isEmpty()
        && sources.stream()
            .allMatch(
                source ->
                    source instanceof Source.Function
                        && text.tokens().isOpen(source.from() + 1)
                        && isAdvisory(text.tokens().folded(source.from())));
  }

  private static boolean isAdvisory(String function) {
    return function.startsWith("pg_advisory_") || function.startsWith("pg_try_advisory_");
  }

  /** True if it is a query of nothing but numbers of sequences, which are others each time. */
  public static boolean drawsNumbers(String sql) {
    SqlText text = SqlText.of(sql);
    return text.startsWith("SELECT") && text.hasAny("NEXTVAL") && !text.hasAny("FROM");
  }

  /** True if it defines a column or sequence that generates increasing values. */
  public static boolean generatesValues(String sql) {
    return SqlText.of(sql)
        .hasAny(
            "AUTOINC",
            "AUTO_INCREMENT",
            "AUTOINCREMENT",
            "SERIAL",
            "BIGSERIAL",
            "SMALLSERIAL",
            "IDENTITY",
            "NEXTVAL",
            "SEQUENCE");
  }

  /** True if it is a query that writes nothing; a locking query is one, too. */
  public static boolean isQuery(String sql) {
    SqlText text = SqlText.of(sql);
    int first = text.tokens().isOpen(0) ? 1 : 0;
    return text.tokens().isWord(first, "SELECT")
        || (text.tokens().isWord(first, "WITH") && text.writes().isEmpty());
  }

  /** True if it contains a clause that locks the rows that it reads. */
  public static boolean locksRows(String sql) {
    SqlText text = SqlText.of(sql);
    return text.has("FOR", "UPDATE")
        || text.has("FOR", "SHARE")
        || text.has("FOR", "KEY", "SHARE")
        || text.has("FOR", "NO", "KEY", "UPDATE")
        || text.has("LOCK", "IN", "SHARE");
  }

  /** True if its effect depends on the order of rows. */
  public static boolean dependsOnRowOrder(String sql) {
    SqlText text = SqlText.of(sql);
    return text.hasAny("LIMIT", "FETCH") && !text.has("ORDER", "BY");
  }

  /** True if an additional column of its tables would change its meaning. */
  public static boolean dependsOnColumnCount(String sql) {
    SqlText text = SqlText.of(sql);
    return text.hasAny(
            "DISTINCT", "UNION", "INTERSECT", "EXCEPT", "INSERT", "REPLACE", "MERGE", "NATURAL")
        && hasStar(text.tokens());
  }

  private static boolean hasStar(Tokens tokens) {
    for (int i = 1; i < tokens.count(); i++) {
      if (tokens.isOperator(i, '*')
          && (tokens.isAnyWord(i - 1, "SELECT", "DISTINCT", "ALL")
              || tokens.is(i - 1, TokenKind.COMMA)
              || tokens.is(i - 1, TokenKind.DOT))) {
        return true;
      }
    }
    return false;
  }

  /** A name as tables are known by: its last part, in lower case, without quotes. */
  public static String unquoted(String name) {
    Tokens tokens = SqlText.of(name).tokens();
    int end = tokens.nameEnd(0);
    return end == 0 ? Identifiers.fold(name.strip()) : tokens.folded(end - 1);
  }
}
