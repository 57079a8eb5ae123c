package io.txwatch.catalog;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Whether a session reads quotes and literals as our tokenizer does. That is a setting: a text that
 * is cut into other tokens than the DBMS cuts it into must not be rewritten. And whether it stores
 * values as they are given, or makes them fit.
 *
 * <p>The DBMS is not queried for the setting after a SET, which would take away the warnings that
 * it led to. What a text does not show is taken for the worst.
 */
public final class SessionSqlMode {

  /** Modes in which {@code "} or {@code \} mean something else, or {@code ''} is NULL. */
  private static final Pattern OTHER_MODES =
      Pattern.compile(
          "(?is).*(ansi|no_backslash_escapes|oracle|db2|maxdb|mssql|postgresql"
              + "|empty_string_is_null).*");

  private static final Pattern SETS_MODE = Pattern.compile("(?is)^\\s*set\\b.*\\bsql_mode\\b.*");

  /** The value is not in the text. */
  private static final Pattern COMPUTED = Pattern.compile("(?is).*(\\?|=.*@|default).*");

  private static final Pattern STRINGS_DO_NOT_CONFORM =
      Pattern.compile("(?is)^\\s*set\\b.*\\bstandard_conforming_strings\\b(?!.*\\b(on|true)\\b).*");

  /** Modes in which MySQL and MariaDB refuse what does not fit a column. */
  private static final Pattern STRICT_MODES =
      Pattern.compile("(?is).*(strict_trans_tables|strict_all_tables|traditional).*");

  private static final Pattern NAMES_HOW_VALUES_ARE_STORED =
      Pattern.compile("sql_mode|names|charset|character|collation", Pattern.CASE_INSENSITIVE);

  /** Character sets of MySQL and MariaDB in which an ASCII letter is its byte. */
  private static final Set<String> WITH_ASCII =
      Set.of("utf8mb4", "utf8mb3", "utf8", "latin1", "ascii");

  private SessionSqlMode() {}

  /** Whether a value of MySQL's and MariaDB's {@code sql_mode} makes it another. */
  public static boolean isOther(String sqlMode) {
    return OTHER_MODES.matcher(sqlMode).matches();
  }

  /** Whether an ASCII letter is its byte in a character set of MySQL's and MariaDB's. */
  public static boolean hasAscii(String characterSet) {
    return WITH_ASCII.contains(characterSet.toLowerCase(Locale.ROOT));
  }

  /**
   * Whether MySQL and MariaDB store values as they are given, or refuse them.
   *
   * @param sqlMode of the session
   * @param characterSet of the connection
   */
  public static boolean storesAsGiven(String sqlMode, String characterSet) {
    return STRICT_MODES.matcher(sqlMode).matches() && hasAscii(characterSet);
  }

  /** Whether that may be over after a statement was executed. */
  static boolean mayStoreOtherwiseAfter(String sql) {
    return NAMES_HOW_VALUES_ARE_STORED.matcher(sql).find();
  }

  /**
   * Whether it is another after a statement was executed.
   *
   * @param before whether it was before
   */
  static boolean isOtherAfter(String sql, boolean before) {
    if (SETS_MODE.matcher(sql).matches()) {
      return isOther(sql) || COMPUTED.matcher(sql).matches();
    }
    // Not taken back by the opposite: PostgreSQL rolls settings back, too.
    return before || STRINGS_DO_NOT_CONFORM.matcher(sql).matches();
  }
}
