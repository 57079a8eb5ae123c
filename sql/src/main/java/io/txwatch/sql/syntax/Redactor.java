package io.txwatch.sql.syntax;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import java.util.regex.Pattern;

/**
 * SQL for reports: every literal replaced by {@code ?}, comments left out (tools write user names
 * and trace ids into them), blanks made one. Names, keywords and the shape stay, so that people
 * know the statement again.
 *
 * <p>Where it depends on a setting of the session, or on something else that is not known here,
 * what is a literal, the rest of the text is left out. A word is taken for a name only where it can
 * be nothing else: not as the value of a setting, nor as the name of a savepoint.
 */
public final class Redactor {

  private static final String REST = "?…";

  private static final Pattern BACKSLASH_AND_QUOTE = Pattern.compile("\\\\['\"]");

  /** What an executable comment may contain so that its end is not where a comment's would be. */
  private static final Pattern HAS_OWN_END = Pattern.compile("['\"`#]|--|/\\*");

  /** Words after which a name in double quotes is a name for SQLite, too. */
  private static final String[] BEFORE_NAMES = {
    "FROM", "JOIN", "INTO", "UPDATE", "TABLE", "INDEX", "VIEW", "EXISTS", "REFERENCES"
  };

  private final Dialect dialect;
  private final Tokens tokens;
  private final StringBuilder out;

  /** The first token of the statement that is being written. */
  private int first;

  /** True behind the sign after which the values of a setting stand. */
  private boolean inValues;

  /** The quote that is left open at the end: one is missing, maybe long before. */
  private final char open;

  private Redactor(Tokens tokens, Dialect dialect) {
    this.dialect = dialect;
    this.tokens = tokens;
    this.out = new StringBuilder(tokens.text().length());
    int last = tokens.count() - 1;
    this.open = last >= 0 && tokens.is(last, TokenKind.BROKEN) ? quoteOf(last) : 0;
  }

  /**
   * The text without its literals. Of broken text, what follows the break is left out too, and of a
   * text with a literal whose end is in doubt, what follows its beginning.
   */
  public static String redact(String sql, Dialect dialect) {
    return redact(Tokenizer.tokenize(sql, dialect), dialect);
  }

  /** The same of a text that was tokenized. */
  public static String redact(Tokens tokens, Dialect dialect) {
    return new Redactor(tokens, dialect).redact();
  }

  private String redact() {
    for (int i = 0; i < tokens.count(); i++) {
      if (i > 0 && tokens.start(i) > tokens.end(i - 1)) {
        out.append(' ');
      }
      if (isEndInDoubt(i)) {
        return out.append(REST).toString();
      }
      switch (tokens.kind(i)) {
        case STRING, NUMBER -> out.append('?');
        case QUOTED -> out.append(mayBeString(i) || isValue(i) ? "?" : tokens.text(i));
        case VARIABLE -> out.append(isQuoted(i) ? "@?" : tokens.text(i));
        case WORD -> out.append(isValue(i) ? "?" : tokens.text(i));
        case EXECUTABLE_COMMENT -> out.append("/*!…*/");
        case BROKEN -> {
          if (tokens.end(i) - tokens.start(i) > 1) {
            return out.append('…').toString();
          }
          out.append(tokens.text(i));
        }
        default -> out.append(tokens.text(i));
      }
      follow(i);
    }
    return out.toString();
  }

  private void follow(int i) {
    if (tokens.is(i, TokenKind.SEMICOLON)) {
      first = i + 1;
      inValues = false;
    } else if (tokens.isOperator(i, '=') || tokens.isWord(i, "TO")) {
      inValues |= setsSettings();
    } else if (i > first && tokens.isAnyWord(first, "SAVEPOINT", "RELEASE", "ROLLBACK")) {
      inValues |= tokens.isWord(i, "SAVEPOINT");
    } else if (i == first && tokens.isAnyWord(first, "SAVEPOINT", "RELEASE")) {
      inValues = true;
    }
  }

  /** True within a statement that assigns nothing but values of settings, which may be words. */
  private boolean setsSettings() {
    boolean isRollback = tokens.isWord(first, "ROLLBACK");
    boolean isPragma = tokens.isWord(first, "PRAGMA");
    boolean alters =
        tokens.areWords(first, "ALTER")
            && tokens.isAnyWord(first + 1, "ROLE", "USER", "DATABASE", "SYSTEM");
    boolean isSet = (alters || tokens.isWord(first, "SET")) && !namesSchemas();
    return isRollback
        || (isSet && dialect.grammar().has(Syntax.WORDS_AS_SETTINGS))
        || (isPragma && dialect.grammar().has(Syntax.PRAGMA));
  }

  private boolean namesSchemas() {
    return tokens.hasAnyWord(first, tokens.count(), "search_path", "RENAME", "OWNER");
  }

  /** True for a word that is no keyword, where a value or the name of a savepoint is expected. */
  private boolean isValue(int i) {
    return inValues
        && !tokens.isAnyWord(
            i, "SAVEPOINT", "TO", "DEFAULT", "ON", "OFF", "TRUE", "FALSE", "LOCAL", "SET");
  }

  /** True if it is not certain that it is a name. */
  private boolean mayBeString(int i) {
    if (tokens.charAt(i) != '"') {
      return false;
    }
    if (dialect.grammar().has(Syntax.DOUBLE_QUOTED_STRINGS)) {
      return true;
    }
    // SQLite takes a name that it does not find for a string.
    return dialect.grammar().has(Syntax.BRACKETED_NAMES)
        && !(i > 0 && (tokens.is(i - 1, TokenKind.DOT) || tokens.isAnyWord(i - 1, BEFORE_NAMES)))
        && !(i + 1 < tokens.count() && tokens.is(i + 1, TokenKind.DOT));
  }

  private boolean isQuoted(int i) {
    return tokens.text(i).indexOf('\'') >= 0 || tokens.text(i).indexOf('"') >= 0;
  }

  /**
   * True if it is not known where a literal ends that begins here. A setting of the session decides
   * (NO_BACKSLASH_ESCAPES, ANSI_QUOTES, {@code standard_conforming_strings}) where a backslash
   * stands before a quote; and the modes of MariaDB and newer servers of MySQL have literals and
   * names that begin otherwise.
   */
  private boolean isEndInDoubt(int i) {
    return switch (tokens.kind(i)) {
      case STRING, QUOTED, VARIABLE ->
          hasBackslashInDoubt(i) || isFollowedByWord(i) || (open != 0 && quoteOf(i) == open);
      case EXECUTABLE_COMMENT -> HAS_OWN_END.matcher(inside(i)).find();
      case OPEN -> isInMySql() && tokens.charAt(i) == '[';
      case WORD -> beginsOtherLiteral(i);
      default -> false;
    };
  }

  /** The quote with which a token begins, behind its prefix; 0 if it has none. */
  private char quoteOf(int i) {
    String text = tokens.text(i);
    for (int k = 0; k < Math.min(4, text.length()); k++) {
      if (text.charAt(k) == '\'' || text.charAt(k) == '"' || text.charAt(k) == '`') {
        return text.charAt(k);
      }
    }
    return 0;
  }

  /** As where a quote is missing before it, so that what it seems to hold is outside. */
  private boolean isFollowedByWord(int i) {
    return i + 1 < tokens.count()
        && tokens.start(i + 1) == tokens.end(i)
        && (tokens.is(i + 1, TokenKind.WORD) || tokens.is(i + 1, TokenKind.NUMBER));
  }

  private String inside(int i) {
    String text = tokens.text(i);
    return text.substring(2, Math.max(2, text.length() - 2));
  }

  private boolean hasBackslashInDoubt(int i) {
    boolean isSetting = isInMySql() || dialect.grammar().has(Syntax.BACKSLASH_SETTING);
    boolean isEscaped =
        dialect.grammar().has(Syntax.ESCAPE_STRINGS) && (tokens.charAt(i) | 32) == 'e';
    return isSetting && !isEscaped && BACKSLASH_AND_QUOTE.matcher(tokens.text(i)).find();
  }

  private boolean isInMySql() {
    return dialect.grammar().has(Syntax.BACKSLASH_ESCAPES);
  }

  /** {@code q'[…]'}, {@code $tag$…$tag$}, and quotes that word processors make. */
  private boolean beginsOtherLiteral(int i) {
    String word = tokens.text(i);
    boolean meetsString =
        i + 1 < tokens.count()
            && tokens.is(i + 1, TokenKind.STRING)
            && tokens.start(i + 1) == tokens.end(i);
    return (meetsString && (word.equalsIgnoreCase("q") || word.equalsIgnoreCase("nq")))
        || (word.startsWith("$") && word.indexOf('$', 1) > 0)
        || word.chars().anyMatch(Redactor::isTypographicQuote);
  }

  private static boolean isTypographicQuote(int c) {
    int type = Character.getType(c);
    return type == Character.INITIAL_QUOTE_PUNCTUATION
        || type == Character.FINAL_QUOTE_PUNCTUATION
        || type == Character.START_PUNCTUATION;
  }
}
