package io.txwatch.dialect;

import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A statement that may change the schemas in which its session looks unqualified names up.
 *
 * @param from its first token
 * @param to the end of its tokens, exclusive
 */
public record PathStatement(Tokens tokens, int from, int to) {

  /** Words that are a value, not a name. */
  private static final Set<String> VALUES =
      Set.of("user", "null", "true", "false", "unknown", "default", "value", "values", "select");

  /** What setting the path to these names does; to unknown ones if there are none. */
  public PathChange to(List<String> names, boolean local) {
    return names.isEmpty()
        ? PathChange.unknown(local)
        : new PathChange(PathChange.Effect.TO, names, local);
  }

  /** The list of names and strings to the end; empty if there is anything else. */
  public List<String> names(int first) {
    List<String> names = new ArrayList<>();
    for (int i = first; i < to; i += 2) {
      if (i + 1 < to && !tokens.is(i + 1, TokenKind.COMMA) || i + 2 == to) {
        return List.of();
      }
      Optional<String> name =
          tokens.is(i, TokenKind.STRING) ? string(i).map(PathStatement::quoted) : name(i);
      if (name.isEmpty()) {
        return List.of();
      }
      names.add(name.get());
    }
    return names;
  }

  private Optional<String> name(int i) {
    String text = tokens.isName(i) ? tokens.text(i) : "";
    boolean isName =
        tokens.is(i, TokenKind.WORD)
            ? !VALUES.contains(text.toLowerCase(Locale.ROOT))
                && !text.matches("(?i)current_.*|session_user|system_user|localtime.*")
            : text.startsWith("\"") || text.startsWith("`");
    return isName ? Optional.of(text) : Optional.empty();
  }

  /** The value of a plain string that stands there; empty if there is anything else. */
  public Optional<String> string(int i) {
    String text = tokens.is(i, TokenKind.STRING) ? tokens.text(i) : "";
    return text.startsWith("'") && text.endsWith("'") && text.indexOf('\\') < 0
        ? Optional.of(text.substring(1, text.length() - 1).replace("''", "'"))
        : Optional.empty();
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
