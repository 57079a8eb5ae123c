package io.txwatch.prepare;

import io.txwatch.sql.Dialect;
import java.util.Locale;

/** How a DBMS turns the name that stands in SQL into the one that it stores and compares. */
enum NameFolding {
  /** Unquoted names are stored in lower case (PostgreSQL). */
  LOWER,
  /** Unquoted names are stored in upper case (H2). */
  UPPER,
  /** All names are stored and compared as they are written (MySQL on Linux). */
  EXACT,
  /** All names are compared without regard to case (SQLite; MySQL elsewhere). */
  INSENSITIVE;

  /** The name that an identifier means, its quotes taken off. */
  String fold(String identifier) {
    if (isQuoted(identifier)) {
      return unquote(identifier);
    }
    return switch (this) {
      case LOWER -> identifier.toLowerCase(Locale.ROOT);
      case UPPER -> identifier.toUpperCase(Locale.ROOT);
      case EXACT, INSENSITIVE -> identifier;
    };
  }

  /** True if the name in SQL, folded, means the stored one. */
  boolean same(String folded, String stored) {
    return this == INSENSITIVE ? folded.equalsIgnoreCase(stored) : folded.equals(stored);
  }

  /** The identifier that means this stored name and nothing else. */
  static String quote(Dialect dialect, String name) {
    return switch (dialect) {
      case MYSQL, MARIADB -> "`" + name.replace("`", "``") + "`";
      case POSTGRESQL, H2, SQLITE -> "\"" + name.replace("\"", "\"\"") + "\"";
    };
  }

  private static boolean isQuoted(String identifier) {
    return !identifier.isEmpty() && "\"`[".indexOf(identifier.charAt(0)) >= 0;
  }

  private static String unquote(String identifier) {
    char open = identifier.charAt(0);
    String inner = identifier.length() < 2 ? "" : identifier.substring(1, identifier.length() - 1);
    return open == '[' ? inner : inner.replace("" + open + open, "" + open);
  }
}
