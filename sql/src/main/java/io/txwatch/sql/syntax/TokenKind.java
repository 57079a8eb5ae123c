package io.txwatch.sql.syntax;

/** What a token is. */
public enum TokenKind {
  /** Blanks and line ends. */
  WHITESPACE,
  /** A comment of any kind that is no statement text; hints ({@code /*+ … *}{@code /}) too. */
  COMMENT,
  /** MySQL's and MariaDB's comments that are executed, depending on the version. */
  EXECUTABLE_COMMENT,
  /** A keyword or an identifier without quotes. */
  WORD,
  /** An identifier in quotes; on MySQL and MariaDB a string in {@code "} as well. */
  QUOTED,
  /** A string or binary literal, its prefix included. */
  STRING,
  /** A number. */
  NUMBER,
  /** {@code ?}. */
  PARAMETER,
  /** {@code $1}, {@code ?1}. */
  NUMBERED_PARAMETER,
  /** {@code :name}, {@code @name}, {@code $name} where the driver takes them for parameters. */
  NAMED_PARAMETER,
  /** {@code @name}, {@code @@name}. */
  VARIABLE,
  /** An operator character, {@code ::} or {@code :=}. */
  OPERATOR,
  /** {@code ,}. */
  COMMA,
  /** {@code .}. */
  DOT,
  /** An opening parenthesis, bracket or brace. */
  OPEN,
  /** A closing one. */
  CLOSE,
  /** {@code ;}. */
  SEMICOLON,
  /** A literal, an identifier or a comment without its end, or a character that means nothing. */
  BROKEN;

  private static final TokenKind[] ALL = values();

  static TokenKind of(byte code) {
    return ALL[code];
  }
}
