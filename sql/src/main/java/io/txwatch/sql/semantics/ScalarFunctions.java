package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Functions that are known not to aggregate. A function that is not known may be an aggregate that
 * somebody defined, and a query with an aggregate takes no further column: so what is not in here
 * keeps its statement from being rewritten (hazard 7).
 */
public final class ScalarFunctions {

  private static final Set<String> KNOWN =
      Set.of(
          """
          abs acos age asin atan atan2 ascii bin bit_length btrim cast cbrt ceil ceiling char
          character_length char_length chr coalesce concat concat_ws conv convert convert_from
          convert_to cos cot crc32 curdate curtime current_date current_time current_timestamp
          current_schema current_database current_setting current_user currval lastval nextval
          setval database date date_add date_format date_part date_sub date_trunc dateadd datediff
          datetime dayname day dayofmonth dayofweek dayofyear decode degrees elt encode exp extract
          field find_in_set floor format formatdatetime from_days from_unixtime gen_random_uuid
          greatest hash hex hour if ifnull iif initcap inet_aton inet_ntoa instr interval isnull
          julianday json json_array json_extract json_object json_unquote json_value json_query
          json_valid json_quote json_type json_contains json_length json_set json_insert
          json_replace json_remove json_build_object json_build_array jsonb_build_object
          jsonb_build_array jsonb_extract_path jsonb_extract_path_text json_extract_path
          json_extract_path_text jsonb_set jsonb_pretty jsonb_typeof json_typeof
          jsonb_array_length json_array_length last_insert_id last_insert_rowid lcase least left
          length ln locate localtime localtimestamp log log10 log2 lower lpad ltrim make_date
          make_interval make_timestamp makedate maketime md5 microsecond mid minute mod month
          monthname now nullif nvl nvl2 octet_length ord overlay parsedatetime period_add pi
          position pow power printf quarter quote quote_ident quote_literal radians rand random
          random_uuid regexp_count regexp_like regexp_replace regexp_substr regexp_match repeat
          replace reverse right round row rowid rpad rtrim second session_user sha1 sha2 sign sin
          sleep pg_sleep space split_part sqrt statement_timestamp clock_timestamp
          transaction_timestamp strftime string_to_array strpos str_to_date subdate substr
          substring sysdate tan time timediff timestamp timestampadd timestampdiff to_char to_date
          to_days to_json to_jsonb to_number to_timestamp to_hex translate trim trunc truncate
          typeof ucase unhex unicode unixepoch unix_timestamp upper user utc_date utc_time
          utc_timestamp uuid uuid_generate_v4 version week weekday year zeroblob changes
          total_changes array array_length cardinality array_to_string array_position
          array_append array_cat array_remove pg_backend_pid txid_current pg_current_xact_id
          pg_try_advisory_xact_lock pg_advisory_xact_lock pg_advisory_lock pg_advisory_unlock
          pg_try_advisory_lock pg_advisory_lock_shared pg_advisory_unlock_all
          pg_advisory_unlock_shared get_lock release_lock release_all_locks is_free_lock
          is_used_lock connection_id found_rows row_count schema system_user database_path
          h2version session_id lock_timeout lock_mode autocommit benchmark charset collation
          coercibility uuid_short sqlite_version sqlite_source_id pg_is_in_recovery pg_sleep_for
          pg_postmaster_start_time pg_conf_load_time pg_cancel_backend pg_terminate_backend
          pg_current_snapshot txid_current_snapshot txid_current_if_assigned pg_current_wal_lsn
          pg_last_wal_replay_lsn pg_database_size pg_size_pretty set_config current_schemas
          current_query inet_client_addr inet_client_port inet_server_addr inet_server_port
          pg_blocking_pids pg_my_temp_schema pg_typeof pg_column_size num_nulls
          num_nonnulls binary decimal numeric varchar signed unsigned double real integer int
          bigint smallint boolean text timestamptz any all some in exists and or not when then
          else case end between like ilike on over partition as values xor div is escape
          distinct select from where filter within group by using join having limit offset union
          intersect except returning lateral unnest generate_series varying float bit
          """
              .strip()
              .split("\\s+"));

  private ScalarFunctions() {}

  /** True if a call of this name, as it stands, does not aggregate. */
  public static boolean isScalar(String name) {
    return KNOWN.contains(name.toLowerCase(Locale.ROOT));
  }

  /**
   * True if a stretch calls a function that may aggregate over the stretch's own rows: one that is
   * not known, and is no window function. Subqueries are left out, unless an aggregate in one could
   * be the outer query's.
   */
  public static boolean mayAggregate(Tokens tokens, int from, int to) {
    return mayAggregate(tokens, from, to, open -> false);
  }

  /**
   * The same, given a test whether a call belongs to the subquery in which it stands.
   *
   * @param inside true, by the opening parenthesis of a call, if it does
   */
  public static boolean mayAggregate(Tokens tokens, int from, int to, IntPredicate inside) {
    for (int i = from; i < to; i++) {
      if (!tokens.isOpen(i) || !tokens.isName(i - 1) || i - 1 < from) {
        continue;
      }
      boolean scalar =
          tokens.is(i - 1, TokenKind.WORD)
              && !tokens.is(i - 2, TokenKind.DOT)
              && isScalar(tokens.text(i - 1));
      if (!scalar && !isWindow(tokens, i) && !isCountOfStar(tokens, i, from) && !inside.test(i)) {
        return true;
      }
    }
    return false;
  }

  /** True if the call of which this is the parenthesis is one over a window. */
  public static boolean isWindow(Tokens tokens, int open) {
    int after = tokens.partner(open) + 1;
    if (tokens.isWord(after, "FILTER") && tokens.isOpen(after + 1)) {
      after = tokens.partner(after + 1) + 1;
    }
    if (tokens.isAnyWord(after, "RESPECT", "IGNORE") && tokens.isWord(after + 1, "NULLS")) {
      after += 2;
    }
    return tokens.isWord(after, "OVER");
  }

  /** COUNT(*) in a subquery counts that subquery's rows, whatever stands around it. */
  private static boolean isCountOfStar(Tokens tokens, int open, int from) {
    if (!tokens.isWord(open - 1, "COUNT")
        || !tokens.isOperator(open + 1, '*')
        || tokens.partner(open) != open + 2) {
      return false;
    }
    for (int i = open - 1; i > from; i--) {
      if (tokens.isOpen(i - 1) && tokens.partner(i - 1) > open && tokens.isWord(i, "SELECT")) {
        return true;
      }
    }
    return false;
  }
}
