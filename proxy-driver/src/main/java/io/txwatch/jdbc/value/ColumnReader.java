package io.txwatch.jdbc.value;

import io.txwatch.history.ValueHash;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Locale;

/**
 * Reads a column of a result as the value that the DBMS stores, and hashes it. Only types whose
 * value is the same by every way in which it can be read are compared; all others are {@link
 * #NOTHING}: times with a zone, floating numbers, enumerations, large objects, JSON.
 */
enum ColumnReader {
  /** An integer of 64 bits at most, with a sign. */
  INTEGER {
    @Override
    long read(ResultSet result, int index, ValueHash hash) throws SQLException {
      long value = result.getLong(index);
      return value == 0 && result.wasNull() ? hash.wideNull() : hash.wide(value);
    }
  },
  /** Any other number that is exact. */
  NUMBER {
    @Override
    long read(ResultSet result, int index, ValueHash hash) throws SQLException {
      BigDecimal value = result.getBigDecimal(index);
      return hash.wide(value);
    }
  },
  TEXT {
    @Override
    long read(ResultSet result, int index, ValueHash hash) throws SQLException {
      String value = result.getString(index);
      return value == null ? hash.wideNull() : hash.wide(value);
    }
  },
  /** Text whose trailing blanks are not stored, or do not matter. */
  PADDED_TEXT {
    @Override
    long read(ResultSet result, int index, ValueHash hash) throws SQLException {
      String value = result.getString(index);
      return value == null ? hash.wideNull() : hash.wide(withoutTrailingBlanks(value));
    }
  },
  BINARY {
    @Override
    long read(ResultSet result, int index, ValueHash hash) throws SQLException {
      return hash.wide(result.getBytes(index));
    }
  },
  DATE {
    @Override
    long read(ResultSet result, int index, ValueHash hash) throws SQLException {
      return hash.wide(result.getObject(index, LocalDate.class));
    }
  },
  /** A date with a time of day that no time zone changes. */
  DATE_TIME {
    @Override
    long read(ResultSet result, int index, ValueHash hash) throws SQLException {
      return hash.wide(result.getObject(index, LocalDateTime.class));
    }
  },
  /** Values that are not compared, and not read. */
  NOTHING {
    @Override
    long read(ResultSet result, int index, ValueHash hash) {
      return 0;
    }
  };

  /** Longer texts and binary strings are not read. */
  private static final int MAX_LENGTH = 1 << 16;

  static String withoutTrailingBlanks(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  /** The {@linkplain ValueHash#wide hash} of the value in the current row; 0 if it is not read. */
  abstract long read(ResultSet result, int index, ValueHash hash) throws SQLException;

  /** The reader for a column of a result. */
  static ColumnReader of(ResultColumns columns, int index) throws SQLException {
    String name = columns.typeName(index);
    String type = name == null ? "" : name.toUpperCase(Locale.ROOT);
    return switch (columns.type(index)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> INTEGER;
      case Types.BIGINT -> type.contains("UNSIGNED") ? NUMBER : INTEGER;
      case Types.DECIMAL, Types.NUMERIC -> NUMBER;
      case Types.CHAR, Types.NCHAR -> isPlainText(type) ? PADDED_TEXT : NOTHING;
      case Types.VARCHAR, Types.NVARCHAR ->
          isPlainText(type) && isShort(columns, index) ? TEXT : NOTHING;
      case Types.BINARY, Types.VARBINARY ->
          type.contains("BINARY") && isShort(columns, index) ? BINARY : NOTHING;
      case Types.DATE -> type.equals("DATE") ? DATE : NOTHING;
      case Types.TIMESTAMP -> type.equals("DATETIME") ? DATE_TIME : NOTHING;
      default -> NOTHING;
    };
  }

  /** False for an enumeration, a UUID, JSON, which drivers describe as text. */
  private static boolean isPlainText(String type) {
    return type.contains("CHAR") || type.equals("TEXT") || type.equals("TINYTEXT");
  }

  /** True if the values are not too long to be read. */
  static boolean isShort(ResultColumns columns, int index) throws SQLException {
    return columns.precision(index) <= MAX_LENGTH;
  }
}
