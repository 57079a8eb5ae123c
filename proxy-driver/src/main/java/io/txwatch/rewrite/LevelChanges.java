package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.LevelChange;
import io.txwatch.plan.TransactionControl;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a text may do to isolation levels that it does not show. A list of what leaves them alone:
 * all else may change them, so a new kind of statement leads to one more question to the DBMS, and
 * never to a level that is not in force.
 *
 * <p>Functions of the DBMS leave levels alone, except {@code set_config} and its like. A function
 * of the application may do anything.
 */
final class LevelChanges {

  /** Statements that leave the levels of their session alone. */
  private static final Set<String> HARMLESS =
      words(
          """
          begin start commit end rollback abort savepoint release prepare deallocate xa lock unlock
          create drop alter truncate rename comment grant revoke use listen notify unlisten close
          vacuum reindex cluster checkpoint security reassign refresh flush kill optimize check
          checksum repair handler describe desc help purge attach detach import cache savepoint
          copy declare
          """);

  /** Statements that evaluate expressions, and do no more to their session. */
  private static final Set<String> EVALUATED =
      words(
          """
          select insert update delete with values table replace merge show explain analyze from
          """);

  /** Functions of DBMSs that aggregate, number rows, or make tables. */
  private static final Set<String> FUNCTIONS =
      words(
          """
          count sum avg min max group_concat string_agg array_agg json_agg jsonb_agg listagg
          json_object_agg jsonb_object_agg json_arrayagg json_objectagg json_group_array
          json_group_object bool_and bool_or every bit_and bit_or bit_xor std stddev stddev_pop
          stddev_samp var_pop var_samp variance median percentile_cont percentile_disc mode corr
          total row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value
          last_value nth_value grouping set_masklen host family network to_tsvector to_tsquery
          plainto_tsquery websearch_to_tsquery ts_rank ts_headline similarity levenshtein regexp_matches
          regexp_split_to_table regexp_split_to_array json_each json_tree jsonb_each
          jsonb_array_elements json_array_elements jsonb_array_elements_text json_table system_range
          starts_with encrypt digest crypt gen_salt pg_get_serial_sequence pg_advisory_xact_lock
          pg_try_advisory_xact_lock to_regclass format_type obj_description col_description values
          key index primary unique conflict references constraint foreign set columns char_to_utf8
          pg_get_expr pg_get_constraintdef pg_get_indexdef pg_get_viewdef pg_table_is_visible
          pg_total_relation_size pg_relation_size has_table_privilege array_upper array_lower
          generate_subscripts int4range int8range numrange tsrange tstzrange daterange lower_inc
          upper_inc isempty make_timestamptz justify_interval date_bin clock_timestamp any_value
          """);

  private final Tokens tokens;
  private final DialectSql sql;

  private LevelChanges(Tokens tokens, DialectSql sql) {
    this.tokens = tokens;
    this.sql = sql;
  }

  private static Set<String> words(String text) {
    return Set.copyOf(List.of(text.strip().split("\\s+")));
  }

  /** What the execution of a text may do. */
  static LevelChange of(Tokens tokens, DialectSql sql) {
    if (tokens.isBroken()) {
      boolean mayChange =
          !sql.changesLevelsByPragma() || tokens.text().toLowerCase(Locale.ROOT).contains("pragma");
      return mayChange ? LevelChange.ANY : LevelChange.NONE;
    }
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.EXECUTABLE_COMMENT)) {
        return LevelChange.ANY;
      }
    }
    LevelChanges changes = new LevelChanges(tokens, sql);
    LevelChange all = LevelChange.NONE;
    for (Span statement : StatementSplitter.split(tokens, sql.dialect())) {
      all = all.and(changes.of(statement.from(), statement.to()));
    }
    return all;
  }

  private LevelChange of(int from, int to) {
    if (tokens.isOpen(from) && tokens.charAt(from) == '(') {
      return evaluated(from, to);
    }
    String verb = tokens.is(from, TokenKind.WORD) ? tokens.text(from).toLowerCase(Locale.ROOT) : "";
    if (EVALUATED.contains(verb)) {
      return evaluated(from, to).and(executes(from, to));
    }
    if (HARMLESS.contains(verb)) {
      return harmless(verb, from, to);
    }
    return switch (verb) {
      case "set" -> set(from, to);
      case "reset" -> reset(from, to);
      case "discard" -> tokens.isWord(from + 1, "ALL") ? LevelChange.SESSION : LevelChange.NONE;
      case "execute", "fetch", "move" -> ofExpression(); // PostgreSQL prepares no SET
      case "do", "call" -> sql.evaluatesBy(verb) ? evaluated(from, to) : LevelChange.ANY;
      case "pragma" -> pragma(from, to);
      default -> sql.changesLevelsByPragma() ? LevelChange.NONE : LevelChange.ANY;
    };
  }

  private LevelChange harmless(String verb, int from, int to) {
    if (tokens.isWord(from + 1, "NOT") || isolations(from, to) > 1) {
      return LevelChange.ANY; // BEGIN NOT ATOMIC; or two levels, of which one is in force
    }
    int query = from;
    while (query < to && !tokens.isWord(query, "SELECT")) {
      query++;
    }
    boolean isEvaluated =
        verb.equals("copy")
            || tokens.isAnyWord(from + 1, "TABLE", "TEMPORARY", "TEMP", "MATERIALIZED", "UNLOGGED");
    return query < to && isEvaluated ? evaluated(query, to) : LevelChange.NONE;
  }

  /** What an expression can do that calls an unknown function. */
  private LevelChange ofExpression() {
    return sql.keepsLevelWithinTransaction() ? LevelChange.SESSION : LevelChange.ANY;
  }

  private LevelChange executes(int from, int to) {
    return tokens.hasAnyWord(from, to, "EXECUTE") ? ofExpression() : LevelChange.NONE;
  }

  private LevelChange evaluated(int from, int to) {
    return callsUnknown(from, to) ? ofExpression() : LevelChange.NONE;
  }

  /** True if a function is called that is not known to be the DBMS's own. */
  private boolean callsUnknown(int from, int to) {
    for (int i = from + 1; i < to; i++) {
      if (tokens.isOpen(i)
          && tokens.charAt(i) == '('
          && tokens.isName(i - 1)
          && !isKnown(Identifiers.unquote(tokens.text(i - 1)))
          && !isNoCall(from, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isKnown(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return !lower.equals("set_config")
        && (ScalarFunctions.isScalar(lower) || FUNCTIONS.contains(lower));
  }

  /** True if the name before a parenthesis is that of a table, or of a common one, or an alias. */
  private boolean isNoCall(int from, int open) {
    int name = open - 1;
    while (name - 2 >= from && tokens.is(name - 1, TokenKind.DOT) && tokens.isName(name - 2)) {
      name -= 2;
    }
    boolean isTarget =
        tokens.isAnyWord(name - 1, "INTO", "REPLACE", "INSERT", "IGNORE")
            || (tokens.isWord(name - 1, "THEN") && tokens.isWord(name, "INSERT")); // of a MERGE
    boolean isAlias = tokens.isWord(name - 1, "AS") || tokens.is(name - 1, TokenKind.CLOSE);
    boolean isCommon =
        tokens.isWord(tokens.partner(open) + 1, "AS")
            && (tokens.isAnyWord(name - 1, "WITH", "RECURSIVE")
                || tokens.is(name - 1, TokenKind.COMMA))
            && (tokens.isOpen(tokens.partner(open) + 2)
                || tokens.isAnyWord(tokens.partner(open) + 2, "MATERIALIZED", "NOT"));
    return name - 1 >= from && (isTarget || isAlias || isCommon);
  }

  // ---------------------------------------------------------------- settings

  private LevelChange reset(int from, int to) {
    if (tokens.isWord(from + 1, "ALL")) {
      return LevelChange.SESSION;
    }
    return isolations(from, to) == 0 ? LevelChange.NONE : ofName(from + 1);
  }

  private LevelChange pragma(int from, int to) {
    for (int i = from; i < to; i++) {
      if (tokens.isWord(i, "READ_UNCOMMITTED")) {
        boolean isRead = i + 1 == to;
        return isRead || isUnderstood(from, to, 1) ? LevelChange.NONE : LevelChange.ANY;
      }
    }
    return LevelChange.NONE;
  }

  private LevelChange set(int from, int to) {
    if (tokens.isWord(from + 1, "STATEMENT")) {
      return statement(from, to);
    }
    LevelChange values = callsUnknown(from, to) ? LevelChange.ANY : LevelChange.NONE;
    int isolations = isolations(from, to);
    return isolations == 0 ? values : values.and(isolation(from, to, isolations));
  }

  /** MariaDB's {@code SET STATEMENT … FOR …}. */
  private LevelChange statement(int from, int to) {
    for (int i = from; i < to; i = tokens.next(i)) {
      if (tokens.isWord(i, "FOR")) {
        boolean isHarmless =
            isolations(from, to) == 0 && !callsUnknown(from, i) && !tokens.isWord(i + 1, "SET");
        return isHarmless ? of(i + 1, to) : LevelChange.ANY;
      }
    }
    return LevelChange.ANY;
  }

  /** A SET that names a level. */
  private LevelChange isolation(int from, int to, int isolations) {
    if (isUnderstood(from, to, isolations)) {
      return LevelChange.NONE;
    }
    int scope =
        tokens.isAnyWord(from + 1, "SESSION", "LOCAL", "GLOBAL", "PERSIST", "PERSIST_ONLY")
            ? from + 2
            : from + 1;
    boolean isOne = tokens.items(from + 1, to).size() == 1 || tokens.isWord(scope, "TRANSACTION");
    if (!isOne) {
      return LevelChange.ANY;
    }
    return isOfOthers(from + 1) ? LevelChange.NONE : ofName(from + 1);
  }

  /** True if what is set is a setting of the server alone, or a variable of the application's. */
  private boolean isOfOthers(int first) {
    if (tokens.is(first, TokenKind.VARIABLE)) {
      String name = tokens.text(first).toUpperCase(Locale.ROOT);
      return !name.startsWith("@@") || name.startsWith("@@GLOBAL.") || name.startsWith("@@PERSIST");
    }
    return tokens.isAnyWord(first, "GLOBAL", "PERSIST", "PERSIST_ONLY");
  }

  /** True if the level that is in force afterwards is in the text. */
  private boolean isUnderstood(int from, int to, int isolations) {
    if (isolations != levels(TransactionControlReader.read(tokens, sql, from, to))) {
      return false;
    }
    for (int i = from; i < to; i++) { // holds for what follows, too
      boolean isGlobal = tokens.isAnyWord(i, "GLOBAL", "PERSIST", "PERSIST_ONLY");
      if (isGlobal || (tokens.is(i, TokenKind.VARIABLE) && isOfOthers(i))) {
        return false;
      }
    }
    return true;
  }

  private static int levels(TransactionControl control) {
    if (control instanceof TransactionControl.Several several) {
      return several.parts().stream().mapToInt(LevelChanges::levels).sum();
    }
    return control instanceof TransactionControl.SetSession
            || control instanceof TransactionControl.SetTransaction
        ? 1
        : 0;
  }

  /** What a change does to a setting whose name, maybe after its scope, stands there. */
  private LevelChange ofName(int first) {
    boolean ofSession = tokens.isAnyWord(first, "SESSION", "LOCAL");
    String name = tokens.text(ofSession ? first + 1 : first).toUpperCase(Locale.ROOT);
    return sql.isLevelOfSession(name, ofSession) ? LevelChange.SESSION : LevelChange.ANY;
  }

  /** How many names of levels, or of settings that change what a level is, stand there. */
  private int isolations(int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      boolean mayName = tokens.isName(i) || tokens.is(i, TokenKind.VARIABLE);
      if (mayName && isOfLevels(tokens.text(i).toUpperCase(Locale.ROOT))) {
        count++;
      }
    }
    return count;
  }

  private static boolean isOfLevels(String name) {
    return name.contains("ISOLATION") || name.contains("TXN_MODE") || name.equals("LOCK_MODE");
  }
}
