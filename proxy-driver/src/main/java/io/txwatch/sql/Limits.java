package io.txwatch.sql;

import io.txwatch.sql.dialect.Dialect;

/**
 * What a DBMS and its driver take in one statement. Where the application's own statement is near a
 * limit, ours stay out of it.
 */
final class Limits {

  /** PostgreSQL, MySQL, MariaDB: a protocol counts parameters in 16 bits. */
  private static final int MAX_PARAMETERS_OF_PROTOCOL = 65_535;

  /** SQLite: SQLITE_MAX_VARIABLE_NUMBER. */
  private static final int MAX_VARIABLES_OF_SQLITE = 32_766;

  /** H2: Constants.MAX_PARAMETER_INDEX. */
  private static final int MAX_PARAMETERS_OF_H2 = 100_000;

  /**
   * Characters of a text on MySQL and MariaDB. What is added to an INSERT of many rows can make it
   * some three times as long, and max_allowed_packet may be 1 MiB.
   */
  private static final int MAX_TEXT_OF_MYSQL = 256 * 1024;

  /** SQLite: SQLITE_MAX_SQL_LENGTH, with room for the values of what are parameters here. */
  private static final int MAX_TEXT_OF_SQLITE = 900_000;

  private Limits() {}

  /** True if a text is too long, or has too many parameters, for what of it is ours. */
  static boolean exceeds(RewritePlan plan, Dialect dialect) {
    int added = plan.addedParameters();
    return (added > 0 && plan.parameterCount() + added > maxParameters(dialect))
        || (dialect == Dialect.SQLITE
            && plan.isRewritten()
            && plan.preparedSql().length() > MAX_TEXT_OF_SQLITE);
  }

  private static int maxParameters(Dialect dialect) {
    return switch (dialect) {
      case POSTGRESQL, MYSQL, MARIADB -> MAX_PARAMETERS_OF_PROTOCOL;
      case SQLITE -> MAX_VARIABLES_OF_SQLITE;
      case H2 -> MAX_PARAMETERS_OF_H2;
    };
  }

  /** How many characters the application's text may have if something is to be added to it. */
  static int maxTextLength(Dialect dialect) {
    return switch (dialect) {
      case MYSQL, MARIADB -> MAX_TEXT_OF_MYSQL;
      case POSTGRESQL, SQLITE, H2 -> Integer.MAX_VALUE;
    };
  }
}
