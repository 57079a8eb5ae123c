package io.txwatch.sql.dialect;

import java.util.EnumSet;

final class H2Grammar extends Grammar {

  H2Grammar() {
    super(
        EnumSet.of(
            Syntax.BACKTICK_NAMES,
            Syntax.NATIONAL_STRINGS,
            Syntax.UNICODE_SPACES,
            Syntax.SLASH_COMMENTS,
            Syntax.NESTED_COMMENTS,
            Syntax.CARRIAGE_RETURN_ENDS_COMMENT,
            Syntax.BRACKET_TRIGRAPHS,
            Syntax.NUMBERED_QUESTION_MARKS,
            Syntax.VARIABLES,
            Syntax.DOLLAR_NUMBERS,
            Syntax.TABLE_QUERY,
            Syntax.MERGE,
            Syntax.MERGE_BY_KEY,
            Syntax.PREPARE_COMMIT,
            Syntax.OFFSET_CLAUSE,
            Syntax.QUALIFY,
            Syntax.SELECT_UNIQUE,
            Syntax.SELECT_TOP,
            Syntax.INDEX_HINTS,
            Syntax.INSERT_DIRECT,
            Syntax.DELETE_WITHOUT_FROM,
            Syntax.TYPED_LITERALS));
  }
}
