package io.txwatch.sql;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;

/**
 * SQL for reports: every literal replaced by {@code ?}, comments left out (tools write user names
 * and trace ids into them), blanks made one. Names, keywords and the shape stay, so that people
 * know the statement again.
 */
public final class Redactor {

  private Redactor() {}

  /** The text without its literals; of broken text, what follows the break is left out too. */
  public static String redact(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    boolean quotesAreStrings = dialect.grammar().has(Syntax.DOUBLE_QUOTED_STRINGS);
    StringBuilder out = new StringBuilder(sql.length());
    for (int i = 0; i < tokens.count(); i++) {
      if (i > 0 && tokens.start(i) > tokens.end(i - 1)) {
        out.append(' ');
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
}
