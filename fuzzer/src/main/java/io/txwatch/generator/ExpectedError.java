package io.txwatch.generator;

import java.util.regex.Pattern;

/**
 * The errors that the data may cause in a generated statement; they are declared with each
 * statement. Any other error that is not caused by concurrency means that the DBMS rejects the
 * statement itself.
 */
public enum ExpectedError {
  /** A duplicate key. */
  DUPLICATE_KEY(
      "^(23505|23000/1062|.*/1761|.*/1762)",
      "UNIQUE constraint failed|PRIMARY KEY|Duplicate key|duplicate key"),
  /** Two rows conflict by an exclusion constraint. */
  EXCLUSION("^23P01", "violates exclusion constraint"),
  /** A parent row is missing or has children. */
  FOREIGN_KEY(
      "^(23503|23504|23506|23001|.*/1451|.*/1452|.*/1216|.*/1217)", "(?i)foreign key constraint"),
  /** A NULL in a column that is NOT NULL. */
  NOT_NULL("^(23502|.*/1048|.*/1364)", "NOT NULL constraint failed"),
  /** A CHECK constraint rejects a value. */
  CHECK("^(23514|23513|.*/3819|.*/4025)", "CHECK constraint failed"),
  /** A value is too large for its column. */
  OUT_OF_RANGE("^(22003|22001|.*/1264|.*/1406|.*/1690)", "out of range|too long"),
  /** A text in a condition is no number or date. */
  NOT_A_NUMBER("^.*/1292$", "Truncated incorrect"),
  /** A query that must not wait finds a lock. */
  LOCK_NOT_AVAILABLE("^(55P03|HY000/3572|HYT00/50200|.*/1205)", "NOWAIT"),
  /** Another session has defined an index or a column, or a table is used that is not locked. */
  DEFINITION(
      "^(42P07|42701|42S11|.*/1061|.*/1060|.*/1412|.*/1100|.*/1099|.*/1192)", "already exists"),
  /** A row fits no partition. */
  NO_PARTITION("^(23514|.*/1526)", "no partition of relation");

  private final Pattern code;
  private final Pattern message;

  ExpectedError(String code, String message) {
    this.code = Pattern.compile(code);
    this.message = Pattern.compile(message);
  }

  /** True if it is this error; if a driver has no specific code, the message decides. */
  public boolean matches(String sqlState, int vendorCode, String text) {
    return code.matcher(sqlState + "/" + vendorCode).find() || message.matcher(text).find();
  }
}
