package io.txwatch.generator;

import java.util.regex.Pattern;

/**
 * The errors that a generated statement may meet, since the data has it so: they are declared
 * beside each statement. Any other error that is not of concurrency refuses what the statement
 * says.
 */
public enum ExpectedError {
  /** A key is taken. */
  DUPLICATE_KEY(
      "^(23505|23000/1062|.*/1761|.*/1762)",
      "UNIQUE constraint failed|PRIMARY KEY|Duplicate key|duplicate key"),
  /** A parent is missing, or has children. */
  FOREIGN_KEY(
      "^(23503|23504|23506|23001|.*/1451|.*/1452|.*/1216|.*/1217)", "(?i)foreign key constraint"),
  /** A column takes no null. */
  NOT_NULL("^(23502|.*/1048|.*/1364)", "NOT NULL constraint failed"),
  /** A CHECK refuses a value. */
  CHECK("^(23514|23513|.*/3819|.*/4025)", "CHECK constraint failed"),
  /** No partition takes a row. */
  NO_PARTITION("^(23514|.*/1526)", "no partition of relation");

  private final Pattern code;
  private final Pattern message;

  ExpectedError(String code, String message) {
    this.code = Pattern.compile(code);
    this.message = Pattern.compile(message);
  }

  /** True if that is the error; where a driver gives no code of its own, its message tells. */
  public boolean matches(String sqlState, int vendorCode, String text) {
    return code.matcher(sqlState + "/" + vendorCode).find() || message.matcher(text).find();
  }
}
