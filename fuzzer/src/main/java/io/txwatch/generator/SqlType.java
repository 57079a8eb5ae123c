package io.txwatch.generator;

import java.util.List;

/** The types of columns and expressions. */
enum SqlType {
  INT("INT", "INT", "BIGINT", "SMALLINT"),
  TEXT("VARCHAR(40)"),
  DECIMAL("DECIMAL(12,2)", "DECIMAL(12,2)", "DOUBLE PRECISION"),
  DATE("DATE"),
  /** Only in columns outside of keys. */
  BOOLEAN("BOOLEAN"),
  /** Numbers that are never negative: nothing is subtracted from them. */
  UNSIGNED("INT UNSIGNED");

  /** The types of any column. */
  static final List<SqlType> COMMON = List.of(INT, TEXT, DECIMAL, DATE);

  private final List<String> declared;

  SqlType(String... declared) {
    this.declared = List.of(declared);
  }

  /** True if numbers can be added to its values. */
  boolean isNumeric() {
    return this == INT || this == DECIMAL;
  }

  /** The declared types of a column; the common one is repeated. */
  List<String> declared() {
    return declared;
  }
}
