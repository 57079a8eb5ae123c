package io.txwatch.statement;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;
import java.util.Set;

/**
 * Whether a stretch of SQL can be evaluated once more without anybody noticing: it calls nothing
 * that has an effect (a sequence, a lock, a sleep), and nothing that is another value each time.
 * What is not known counts as having an effect.
 */
public final class Repeatability {

  private static final Set<String> AGGREGATES =
      Set.of(
          "count",
          "sum",
          "min",
          "max",
          "avg",
          "total",
          "string_agg",
          "array_agg",
          "group_concat",
          "listagg",
          "json_agg",
          "jsonb_agg",
          "json_arrayagg",
          "json_objectagg",
          "bool_and",
          "bool_or",
          "every",
          "stddev",
          "variance",
          "row_number",
          "rank",
          "dense_rank",
          "lag",
          "lead",
          "first_value",
          "last_value",
          "ntile",
          "json_each",
          "json_tree",
          "jsonb_each",
          "jsonb_array_elements",
          "json_array_elements",
          "jsonb_array_elements_text",
          "regexp",
          "table",
          "rows",
          "filter",
          "escape",
          "key",
          "recursive",
          "materialized");

  /** Known scalar functions that do something, or are another value each time. */
  private static final Set<String> EFFECTS =
      Set.of(
          "nextval",
          "setval",
          "currval",
          "lastval",
          "last_insert_id",
          "last_insert_rowid",
          "rand",
          "random",
          "random_uuid",
          "gen_random_uuid",
          "uuid",
          "uuid_generate_v4",
          "sleep",
          "pg_sleep",
          "get_lock",
          "release_lock",
          "pg_try_advisory_xact_lock",
          "pg_advisory_xact_lock",
          "pg_advisory_lock",
          "pg_advisory_unlock",
          "pg_try_advisory_lock",
          "clock_timestamp",
          "sysdate",
          "changes",
          "total_changes",
          "txid_current",
          "pg_current_xact_id",
          "current_setting");

  /** Functions of the time: on PostgreSQL constant within a transaction, elsewhere not. */
  private static final Set<String> TIME =
      Set.of(
          "now",
          "current_timestamp",
          "current_time",
          "localtime",
          "localtimestamp",
          "curtime",
          "utc_timestamp",
          "utc_time",
          "unix_timestamp",
          "unixepoch",
          "julianday",
          "datetime",
          "statement_timestamp");

  private Repeatability() {}

  /** True if a stretch has no effect, and is the same when evaluated a second time. */
  public static boolean holds(AnalyzedStatement statement, Span at) {
    Tokens tokens = statement.tokens();
    for (int i = at.from(); i < at.to(); i++) {
      boolean called = tokens.isOpen(i) && tokens.isName(i - 1);
      if (called
          && !isTableName(statement, i - 1)
          && !isCteHead(tokens, i)
          && !isHarmless(tokens, i - 1)) {
        return false;
      }
      if (tokens.areWords(i, "NEXT", "VALUE") || tokens.areWords(i, "PREVIOUS", "VALUE")) {
        return false;
      }
      if (tokens.is(i, TokenKind.VARIABLE)) {
        return false; // it may be assigned, here or in what is evaluated in between
      }
      if (tokens.is(i, TokenKind.OPEN) && tokens.charAt(i) == '{') {
        return false;
      }
    }
    return true;
  }

  /** True if a stretch depends on the time, which is another one for each statement. */
  public static boolean dependsOnTime(AnalyzedStatement statement, Span at) {
    if (statement.sql().stopsTime()) {
      return false;
    }
    for (int i = at.from(); i < at.to(); i++) {
      if (statement.tokens().is(i, TokenKind.WORD)
          && TIME.contains(statement.tokens().text(i).toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isHarmless(Tokens tokens, int name) {
    if (!tokens.is(name, TokenKind.WORD)) {
      return false;
    }
    String word = tokens.text(name).toLowerCase(Locale.ROOT);
    boolean qualified = tokens.is(name - 1, TokenKind.DOT);
    return !qualified
        && !EFFECTS.contains(word)
        && (ScalarFunctions.isScalar(word) || AGGREGATES.contains(word));
  }

  /** {@code q (k) AS (…}: the parenthesis of a CTE's columns. */
  private static boolean isCteHead(Tokens tokens, int open) {
    int as = tokens.partner(open) + 1;
    return tokens.isWord(as, "AS")
        && (tokens.isOpen(as + 1) || tokens.isAnyWord(as + 1, "NOT", "MATERIALIZED"))
        && (tokens.isAnyWord(open - 2, "WITH", "RECURSIVE")
            || tokens.is(open - 2, TokenKind.COMMA));
  }

  /** The last word of a source of rows with an alias: what follows renames its columns. */
  private static boolean isTableName(AnalyzedStatement statement, int token) {
    for (Source.Table table : statement.parts().references()) {
      if (token >= table.from() && token < table.to()) {
        return true;
      }
    }
    for (Block block : statement.parts().blocks()) {
      for (Source source : block.others()) {
        if (source instanceof Source.Derived derived
            && token > statement.tokens().partner(derived.open())
            && token < derived.to()) {
          return true;
        }
      }
    }
    return false;
  }
}
