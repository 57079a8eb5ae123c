package io.txwatch.sql;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.regex.Pattern;

/**
 * SQL for reports: every literal replaced by {@code ?}, comments left out (tools write user names
 * and trace ids into them), blanks made one. Names, keywords and the shape stay, so that people
 * know the statement again.
 */
public final class Redactor {

  private static final Pattern BACKSLASH_AND_QUOTE = Pattern.compile("\\\\['\"]");

  private Redactor() {}

  /**
   * The text without its literals. Of broken text, what follows the break is left out too, and of a
   * text with a literal whose end a setting of the session decides, what follows its beginning.
   */
  public static String redact(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    boolean quotesAreStrings = dialect.grammar().has(Syntax.DOUBLE_QUOTED_STRINGS);
    StringBuilder out = new StringBuilder(sql.length());
    for (int i = 0; i < tokens.count(); i++) {
      if (i > 0 && tokens.start(i) > tokens.end(i - 1)) {
        out.append(' ');
      }
      if (isEndInDoubt(tokens, i, dialect)) {
        return out.append("?…").toString();
      }
      switch (tokens.kind(i)) {
        case STRING, NUMBER -> out.append('?');
        case QUOTED ->
            out.append(quotesAreStrings && tokens.charAt(i) == '"' ? "?" : tokens.text(i));
        case EXECUTABLE_COMMENT -> out.append("/*!…*/");
        case BROKEN -> {
          if (tokens.end(i) - tokens.start(i) > 1) {
            return out.append('…').toString();
          }
          out.append(tokens.text(i));
        }
        default -> out.append(tokens.text(i));
      }
    }
    return out.toString();
  }

  /**
   * True if a setting of the session (NO_BACKSLASH_ESCAPES, ANSI_QUOTES, {@code
   * standard_conforming_strings}) decides where the literal ends: it has a backslash before a
   * quote.
   */
  private static boolean isEndInDoubt(Tokens tokens, int i, Dialect dialect) {
    boolean isSetting =
        dialect.grammar().has(Syntax.BACKSLASH_ESCAPES)
            || dialect.grammar().has(Syntax.BACKSLASH_SETTING);
    boolean isLiteral = tokens.is(i, TokenKind.STRING) || tokens.is(i, TokenKind.QUOTED);
    return isSetting && isLiteral && BACKSLASH_AND_QUOTE.matcher(tokens.text(i)).find();
  }
}
