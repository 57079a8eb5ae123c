package io.txwatch.sql.dialect;

/** What not every DBMS has in its texts; {@link Grammar} has the list of each. */
public enum Syntax {
  /** By default a backslash escapes in plain strings. */
  BACKSLASH_ESCAPES,
  /** Text between double quotes is a string, not a name. */
  DOUBLE_QUOTED_STRINGS,
  /** Names between backticks. */
  BACKTICK_NAMES,
  /** Names between square brackets. */
  BRACKETED_NAMES,
  /** Strings {@code N'…'}. */
  NATIONAL_STRINGS,
  /** Strings {@code B'…'}. */
  BIT_STRINGS,
  /** Strings {@code E'…'}, in which a backslash escapes. */
  ESCAPE_STRINGS,
  /** A setting decides whether a backslash escapes in plain strings. */
  BACKSLASH_SETTING,
  /** Names may begin with a digit or {@code $}. */
  NAMES_FROM_DIGITS,
  /** White space beyond ASCII separates words. */
  UNICODE_SPACES,
  /** {@code #} begins a comment. */
  HASH_COMMENTS,
  /** {@code --} begins a comment only before white space. */
  SPACED_DASH_COMMENTS,
  /** {@code //} begins a comment. */
  SLASH_COMMENTS,
  /** Comments nest. */
  NESTED_COMMENTS,
  /** A comment may end with the text. */
  UNCLOSED_COMMENTS,
  /** A carriage return ends a comment of one line. */
  CARRIAGE_RETURN_ENDS_COMMENT,
  /** {@code /*! … *\/} is executed. */
  EXECUTABLE_COMMENTS,
  /** {@code /*M! … *\/} is executed. */
  EXECUTABLE_M_COMMENTS,
  /** {@code ??} is the operator {@code ?}. */
  ESCAPED_QUESTION_MARKS,
  /** {@code ??(} and {@code ??)} are square brackets. */
  BRACKET_TRIGRAPHS,
  /** Parameters {@code ?1}. */
  NUMBERED_QUESTION_MARKS,
  /** Parameters {@code :name}, {@code @name}, {@code $name}. */
  NAMED_PARAMETERS,
  /** Variables {@code @name}. */
  VARIABLES,
  /** Variables {@code @'name'} and {@code @@name}. */
  QUOTED_VARIABLES,
  /** Parameters {@code $1}, and strings {@code $$…$$}. */
  DOLLAR_NUMBERS,
  /** Strings {@code $tag$…$tag$}. */
  DOLLAR_TAGS,
  /** {@code TABLE t} is a query. */
  TABLE_QUERY,
  /** {@code RETURNING} ends a write. */
  RETURNING,
  /** INSERT, UPDATE, DELETE and MERGE may stand in WITH. */
  WRITES_IN_WITH,
  /** A common table may be read in its own query, without {@code RECURSIVE}. */
  IMPLICIT_RECURSION,
  /** {@code DELETE FROM t USING …}. */
  DELETE_USING,
  /** {@code MERGE INTO t USING s ON … WHEN …}. */
  MERGE,
  /** {@code MERGE INTO t KEY (…) VALUES (…)}. */
  MERGE_BY_KEY,
  /** {@code END} commits. */
  END_COMMITS,
  /** {@code ABORT} rolls back. */
  ABORT,
  /** {@code PREPARE TRANSACTION 'id'}, the first phase of a commit. */
  PREPARE_TRANSACTION,
  /** {@code PREPARE COMMIT id}, and {@code COMMIT TRANSACTION id} as the second phase. */
  PREPARE_COMMIT,
  /** {@code SET LOCAL}, and {@code SET} of the level, are for the transaction alone. */
  SET_OF_TRANSACTION,
  /** {@code OFFSET} is a clause, without {@code LIMIT} too. */
  OFFSET_CLAUSE,
  /** {@code OFFSET 2 ROWS} is a clause; without {@code ROWS} it is a part of LIMIT. */
  OFFSET_ROWS_CLAUSE,
  /** BEGIN may begin a block of statements; ROLLBACK may be followed by a savepoint's name. */
  BLOCKS,
  /** {@code QUALIFY} is a clause. */
  QUALIFY,
  /** {@code SELECT UNIQUE}. */
  SELECT_UNIQUE,
  /** {@code SELECT TOP 2}. */
  SELECT_TOP,
  /** Words such as {@code STRAIGHT_JOIN} behind {@code SELECT}. */
  SELECT_MODIFIERS,
  /** {@code ONLY t} and {@code t *}, with and without the tables that inherit. */
  ONLY_TABLE,
  /** {@code t PARTITION (p)}. */
  PARTITION_OF_TABLE,
  /** Index hints and options begin with words that are no alias. */
  MYSQL_ALIAS_WORDS,
  /** {@code USE INDEX (i)}. */
  INDEX_HINTS,
  /** {@code INDEXED BY i}, {@code NOT INDEXED}. */
  INDEXED_BY,
  /** {@code INSERT OR REPLACE}, {@code UPDATE OR IGNORE}. */
  OR_ACTIONS,
  /** {@code INSERT INTO t DIRECT SORTED}. */
  INSERT_DIRECT,
  /** {@code VALUES (…) AS alias}. */
  INSERT_ALIAS,
  /** {@code DELETE a, b FROM …}. */
  MULTI_TABLE_DELETE,
  /** {@code DELETE t}. */
  DELETE_WITHOUT_FROM,
  /** {@code ||}, {@code &&} and {@code XOR} are logical. */
  LOGICAL_OPERATORS,
  /** Whatever consists of operator characters may be an operator. */
  ANY_OPERATOR,
  /** {@code DIV}, {@code MOD}, {@code MEMBER OF}, {@code BINARY} are operators. */
  WORD_OPERATORS,
  /** {@code MATCH} is an operator. */
  MATCH_OPERATOR,
  /** Any expression may stand behind {@code INTERVAL}. */
  INTERVAL_EXPRESSIONS,
  /** Any type's name may stand before a string. */
  TYPED_LITERALS,
  /** Types of dates and character sets alone may stand before a string. */
  DATE_LITERALS,
  /** {@code CONVERT(x USING utf8mb4)}, {@code CONVERT(x, type)}. */
  CONVERT_USING,
  /** A stored program ends with {@code ; END;}. */
  TRIGGERS_END_WITH_END,
  /** Only a body {@code BEGIN ATOMIC … END} holds semicolons. */
  ATOMIC_BODIES,
  /** The value that SET gives a setting may be a word. */
  WORDS_AS_SETTINGS,
  /** The value that PRAGMA gives a setting may be a word. */
  PRAGMA
}
