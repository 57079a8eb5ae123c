package io.txwatch.sql.dialect;

import java.util.EnumSet;

final class PostgresGrammar extends Grammar {

  PostgresGrammar() {
    super(
        EnumSet.of(
            Syntax.NATIONAL_STRINGS,
            Syntax.BIT_STRINGS,
            Syntax.ESCAPE_STRINGS,
            Syntax.BACKSLASH_SETTING,
            Syntax.NESTED_COMMENTS,
            Syntax.CARRIAGE_RETURN_ENDS_COMMENT,
            Syntax.ESCAPED_QUESTION_MARKS,
            Syntax.DOLLAR_NUMBERS,
            Syntax.DOLLAR_TAGS,
            Syntax.TABLE_QUERY,
            Syntax.RETURNING,
            Syntax.WRITES_IN_WITH,
            Syntax.DELETE_USING,
            Syntax.MERGE,
            Syntax.END_COMMITS,
            Syntax.ABORT,
            Syntax.PREPARE_TRANSACTION,
            Syntax.SET_OF_TRANSACTION,
            Syntax.OFFSET_CLAUSE,
            Syntax.ONLY_TABLE,
            Syntax.ANY_OPERATOR,
            Syntax.TYPED_LITERALS,
            Syntax.ATOMIC_BODIES,
            Syntax.WORDS_AS_SETTINGS));
  }
}
