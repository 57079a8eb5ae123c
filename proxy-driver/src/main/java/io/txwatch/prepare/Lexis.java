package io.txwatch.prepare;

import java.util.regex.Pattern;

/**
 * Whether a session reads quotes and literals as our tokenizer does. That is a setting: a text that
 * is cut into other tokens than the DBMS cuts it into must not be rewritten.
 *
 * <p>The DBMS is not asked for the setting after a SET, which would take away the warnings that it
 * led to. What a text does not show is taken for the worst.
 */
final class Lexis {

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

  private Lexis() {}

  /** Whether a value of MySQL's and MariaDB's {@code sql_mode} makes it another. */
  static boolean isOther(String sqlMode) {
    return OTHER_MODES.matcher(sqlMode).matches();
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
