package io.txwatch.catalog;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

/** How a DBMS turns the name that stands in SQL into the one that it stores and compares. */
public enum NameFolding {
  /** Names are cut after 63 bytes, unquoted ones stored with ASCII in lower case (PostgreSQL). */
  POSTGRESQL,
  /** Unquoted names are stored in lower case (H2, set so). */
  LOWER,
  /** Unquoted names are stored in upper case (H2). */
  UPPER,
  /** All names are stored and compared as they are written (MySQL on Linux). */
  EXACT,
  /** All names are compared without regard to case (SQLite; MySQL elsewhere). */
  INSENSITIVE;

  /** How many bytes of a name PostgreSQL keeps; the others are dropped with a NOTICE. */
  private static final int MAX_POSTGRESQL_BYTES = 63;

  /**
   * How a database folds names, as its driver states it: H2 by its URL, DBMSs without a room of
   * their own.
   */
  public static NameFolding of(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    if (metaData.storesUpperCaseIdentifiers()) {
      return UPPER;
    }
    if (metaData.storesLowerCaseIdentifiers()) {
      return LOWER;
    }
    return metaData.supportsMixedCaseIdentifiers() ? EXACT : INSENSITIVE;
  }

  /** The name that an identifier means, its quotes taken off. */
  public String fold(String identifier) {
    if (isQuoted(identifier)) {
      return this == POSTGRESQL ? cut(unquote(identifier)) : unquote(identifier);
    }
    return switch (this) {
      case POSTGRESQL -> cut(lowerAscii(identifier));
      case LOWER -> identifier.toLowerCase(Locale.ROOT);
      case UPPER -> identifier.toUpperCase(Locale.ROOT);
      case EXACT, INSENSITIVE -> identifier;
    };
  }

  /** True if the name in SQL, folded, means the stored one. */
  public boolean same(String folded, String stored) {
    return this == INSENSITIVE ? folded.equalsIgnoreCase(stored) : folded.equals(stored);
  }

  private static String lowerAscii(String name) {
    StringBuilder lower = new StringBuilder(name);
    for (int i = 0; i < lower.length(); i++) {
      char c = lower.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        lower.setCharAt(i, (char) (c + 'a' - 'A'));
      }
    }
    return lower.toString();
  }

  /** As many whole characters as fit (in UTF-8, which nearly every database is in). */
  private static String cut(String name) {
    int bytes = 0;
    for (int i = 0; i < name.length(); i += Character.charCount(name.codePointAt(i))) {
      int c = name.codePointAt(i);
      bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      if (bytes > MAX_POSTGRESQL_BYTES) {
        return name.substring(0, i);
      }
    }
    return name;
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
