package io.txwatch.generator;

/** The types of columns and expressions. */
enum SqlType {
  INT("INT"),
  TEXT("VARCHAR(40)"),
  DECIMAL("DECIMAL(12,2)");

  private final String sql;

  SqlType(String sql) {
    this.sql = sql;
  }

  /** As a column's definition has it. */
  String sql() {
    return sql;
  }
}
