package io.txwatch.sql.dialect;

import java.util.EnumSet;
import java.util.Set;

final class MySqlGrammar extends Grammar {

  MySqlGrammar() {
    super(withCommon(Syntax.TABLE_QUERY, Syntax.INSERT_ALIAS));
  }

  /** These, and what MySQL and MariaDB have in common. */
  static Set<Syntax> withCommon(Syntax... own) {
    EnumSet<Syntax> all =
        EnumSet.of(
            Syntax.BACKSLASH_ESCAPES,
            Syntax.DOUBLE_QUOTED_STRINGS,
            Syntax.BACKTICK_NAMES,
            Syntax.NATIONAL_STRINGS,
            Syntax.BIT_STRINGS,
            Syntax.NAMES_FROM_DIGITS,
            Syntax.HASH_COMMENTS,
            Syntax.SPACED_DASH_COMMENTS,
            Syntax.EXECUTABLE_COMMENTS,
            Syntax.VARIABLES,
            Syntax.QUOTED_VARIABLES,
            Syntax.SELECT_MODIFIERS,
            Syntax.PARTITION_OF_TABLE,
            Syntax.MYSQL_ALIAS_WORDS,
            Syntax.INDEX_HINTS,
            Syntax.MULTI_TABLE_DELETE,
            Syntax.LOGICAL_OPERATORS,
            Syntax.WORD_OPERATORS,
            Syntax.INTERVAL_EXPRESSIONS,
            Syntax.DATE_LITERALS,
            Syntax.CONVERT_USING);
    all.addAll(Set.of(own));
    return all;
  }
}
