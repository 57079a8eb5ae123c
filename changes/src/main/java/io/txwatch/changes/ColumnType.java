package io.txwatch.changes;

/** How the values of a column are represented in a row image, and when two of them are equal. */
public enum ColumnType {
  /** {@link Long}, or {@link java.math.BigInteger} if it does not fit; the sign is resolved. */
  INTEGER,
  /**
   * TINYINT(1), which drivers read as a boolean: {@link Long} 0 or 1. Other values are not
   * comparable, because they are read as booleans, too.
   */
  BOOLEAN,
  /** {@link java.math.BigDecimal} without trailing zeros. */
  DECIMAL,
  /** {@link Double}; negative zero is zero. */
  DOUBLE,
  /** {@link String}. */
  TEXT,
  /** CHAR: {@link String} without trailing spaces, which the DBMS pads and removes. */
  PADDED_TEXT,
  /** {@code byte[]}; BINARY is padded to its length. */
  BYTES,
  /** {@link java.time.LocalDate}, from 1583 on. */
  DATE,
  /** {@link java.time.LocalDateTime} with microseconds, from 1583 on. */
  DATE_TIME,
  /** {@link java.time.Instant} with microseconds. What JDBC reads depends on two time zones. */
  INSTANT,
  /** {@link java.time.Duration} with microseconds: TIME, which may be negative or over a day. */
  DURATION,
  /** {@link Long}; the year 0 is not comparable. */
  YEAR,
  /** {@link Long}, or {@link java.math.BigInteger} if it does not fit: the bits, unsigned. */
  BITS,
  /** {@link String}: the label of an ENUM, or the labels of a SET with commas between them. */
  LABEL,
  /**
   * Never comparable: FLOAT (REAL), which is rounded when it is read, JSON, spatial and vector
   * types, text in a character set that Java does not have.
   */
  OTHER;

  /** True if two values of a column that are not an {@link UnknownValue} can be compared. */
  public boolean isComparable() {
    return this != OTHER;
  }
}
