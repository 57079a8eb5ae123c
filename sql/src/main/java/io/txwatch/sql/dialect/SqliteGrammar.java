package io.txwatch.sql.dialect;

import java.util.EnumSet;

final class SqliteGrammar extends Grammar {

  SqliteGrammar() {
    super(
        EnumSet.of(
            Syntax.BACKTICK_NAMES,
            Syntax.BRACKETED_NAMES,
            Syntax.UNCLOSED_COMMENTS,
            Syntax.NUMBERED_QUESTION_MARKS,
            Syntax.NAMED_PARAMETERS,
            Syntax.RETURNING,
            Syntax.IMPLICIT_RECURSION,
            Syntax.END_COMMITS,
            Syntax.INDEXED_BY,
            Syntax.OR_ACTIONS,
            Syntax.MATCH_OPERATOR,
            Syntax.TRIGGERS_END_WITH_END,
            Syntax.PRAGMA));
  }
}
