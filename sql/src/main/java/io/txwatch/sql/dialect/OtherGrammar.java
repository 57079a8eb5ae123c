package io.txwatch.sql.dialect;

import java.util.EnumSet;

/** Standard SQL. */
final class OtherGrammar extends Grammar {

  OtherGrammar() {
    super(
        EnumSet.of(
            Syntax.NATIONAL_STRINGS,
            Syntax.BLOCKS,
            Syntax.MERGE,
            Syntax.OFFSET_ROWS_CLAUSE,
            Syntax.DATE_LITERALS,
            Syntax.WORDS_AS_SETTINGS));
  }
}
