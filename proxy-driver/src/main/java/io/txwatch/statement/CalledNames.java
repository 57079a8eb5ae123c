package io.txwatch.statement;

import io.txwatch.dialect.DialectSql;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.Set;
import java.util.TreeSet;

/**
 * The words of a text that show whether it may do more than its tables and columns do.
 *
 * @param verb its first word, in lower case
 * @param functions the names in front of an opening bracket, in lower case: functions, and words
 *     such as {@code values}
 */
public record CalledNames(String verb, Set<String> functions) {

  /** Those of a text. */
  public static CalledNames of(String text, DialectSql sql) {
    Tokens tokens = Tokenizer.tokenize(text, sql.dialect());
    Set<String> functions = new TreeSet<>();
    for (int i = 1; i < tokens.count(); i++) {
      if (tokens.isOpen(i) && tokens.isName(i - 1)) {
        functions.add(tokens.folded(i - 1));
      }
    }
    String verb = tokens.count() > 0 && tokens.isName(0) ? tokens.folded(0) : "";
    return new CalledNames(verb, functions);
  }
}
