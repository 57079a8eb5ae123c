package io.txwatch.sql.dialect;

final class MariaDbGrammar extends Grammar {

  MariaDbGrammar() {
    super(
        MySqlGrammar.withCommon(
            Syntax.EXECUTABLE_M_COMMENTS, Syntax.RETURNING, Syntax.OFFSET_ROWS_CLAUSE));
  }
}
