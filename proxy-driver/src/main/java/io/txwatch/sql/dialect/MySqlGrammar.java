package io.txwatch.sql.dialect;

class MySqlGrammar extends Grammar {

  @Override
  public boolean doubleQuotesAreStrings() {
    return true;
  }
}
