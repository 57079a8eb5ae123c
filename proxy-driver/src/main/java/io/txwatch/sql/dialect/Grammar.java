package io.txwatch.sql.dialect;

/**
 * What the texts of a DBMS may contain: tokens, clauses and statements that not all of them have.
 */
public abstract class Grammar {

  Grammar() {}

  /** True if text between double quotes is a string, not a name. */
  public boolean doubleQuotesAreStrings() {
    return false;
  }
}
