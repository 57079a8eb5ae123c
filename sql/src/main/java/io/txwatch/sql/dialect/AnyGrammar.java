package io.txwatch.sql.dialect;

import java.util.EnumSet;

/**
 * What the texts of any DBMS may contain, as far as the DBMSs do not contradict each other: for
 * texts whose DBMS is not known. A backslash does not escape.
 */
public final class AnyGrammar extends Grammar {

  /** The only one. */
  public static final AnyGrammar INSTANCE = new AnyGrammar();

  private AnyGrammar() {
    super(
        EnumSet.of(
            Syntax.BACKTICK_NAMES,
            Syntax.NATIONAL_STRINGS,
            Syntax.BIT_STRINGS,
            Syntax.SPACED_DASH_COMMENTS,
            Syntax.VARIABLES,
            Syntax.QUOTED_VARIABLES,
            Syntax.DOLLAR_NUMBERS,
            Syntax.DOLLAR_TAGS,
            Syntax.TABLE_QUERY,
            Syntax.RETURNING,
            Syntax.WRITES_IN_WITH,
            Syntax.DELETE_USING,
            Syntax.MERGE,
            Syntax.MERGE_BY_KEY,
            Syntax.OFFSET_CLAUSE,
            Syntax.SELECT_MODIFIERS,
            Syntax.ONLY_TABLE,
            Syntax.PARTITION_OF_TABLE,
            Syntax.MYSQL_ALIAS_WORDS,
            Syntax.INDEX_HINTS,
            Syntax.INDEXED_BY,
            Syntax.OR_ACTIONS,
            Syntax.INSERT_ALIAS,
            Syntax.MULTI_TABLE_DELETE,
            Syntax.DELETE_WITHOUT_FROM,
            Syntax.ANY_OPERATOR,
            Syntax.WORD_OPERATORS,
            Syntax.INTERVAL_EXPRESSIONS,
            Syntax.TYPED_LITERALS,
            Syntax.CONVERT_USING));
  }
}
