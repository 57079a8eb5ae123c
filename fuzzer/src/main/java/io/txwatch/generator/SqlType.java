package io.txwatch.generator;

import java.util.List;

/** The types of columns and expressions. */
enum SqlType {
  INT("INT", "INT", "BIGINT", "SMALLINT"),
  TEXT("VARCHAR(40)"),
  DECIMAL("DECIMAL(12,2)", "DECIMAL(12,2)", "DOUBLE PRECISION"),
  DATE("DATE");

  private final List<String> declared;

  SqlType(String... declared) {
    this.declared = List.of(declared);
  }

  /** How a column of it may be declared, the usual more than once. */
  List<String> declared() {
    return declared;
  }
}
