package io.txwatch.product.postgresql;

import io.txwatch.catalog.NameFolding;
import io.txwatch.dialect.PathChange;
import io.txwatch.dialect.PathChange.Effect;
import io.txwatch.dialect.PathStatement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a statement does to PostgreSQL's {@code search_path}, and to the role that it depends on.
 */
final class PostgresPath {

  /** A program in a string that may change it. */
  private static final Pattern IN_PROGRAM =
      Pattern.compile(
          "(?is)search_path|set_config"
              + "|\\bset\\s+(?:(?:local|session)\\s+)?(?:schema|role|session|authorization)\\b");

  private final PathStatement statement;
  private final Tokens tokens;
  private final int from;
  private final int to;

  PostgresPath(PathStatement statement) {
    this.statement = statement;
    this.tokens = statement.tokens();
    this.from = statement.from();
    this.to = statement.to();
  }

  PathChange change() {
    if (tokens.isWord(from, "RESET")) {
      return ofReset();
    }
    if (tokens.areWords(from, "DISCARD", "ALL")) {
      return PathChange.of(Effect.RESET_ALL, false);
    }
    if (tokens.isWord(from, "SET")) {
      return ofSet();
    }
    if (tokens.isAnyWord(from, "CREATE", "ALTER")) {
      return PathChange.NONE; // a setting that it may name is of other sessions, or of a function
    }
    return inside();
  }

  private PathChange ofReset() {
    if (tokens.isAnyWord(from + 1, "SEARCH_PATH", "ALL")) {
      return PathChange.of(Effect.RESET, false);
    }
    if (tokens.isWord(from + 1, "ROLE")) {
      return PathChange.of(Effect.OWN_ROLE, false);
    }
    return tokens.isWord(from + 1, "SESSION") || tokens.is(from + 1, TokenKind.QUOTED)
        ? PathChange.of(Effect.USER, false)
        : PathChange.NONE;
  }

  private PathChange ofSet() {
    int what = from + 1;
    boolean isLocal = tokens.isWord(what, "LOCAL");
    boolean isSession = tokens.isWord(what, "SESSION");
    if (isLocal || isSession && !tokens.isWord(what + 1, "CHARACTERISTICS")) {
      what++;
    }
    if (tokens.isWord(what, "ROLE")) {
      return PathChange.of(Effect.ROLE, isLocal);
    }
    if (tokens.isAnyWord(what, "AUTHORIZATION", "SESSION_AUTHORIZATION")) {
      return PathChange.of(Effect.USER, isLocal);
    }
    if (tokens.isWord(what, "SCHEMA")) {
      return statement.to(statement.names(what + 1), isLocal);
    }
    if (tokens.isWord(what, "SEARCH_PATH")) {
      int value = what + 2;
      boolean isDefault = tokens.isWord(value, "DEFAULT") && value + 1 == to;
      return isDefault
          ? PathChange.of(Effect.RESET, isLocal)
          : statement.to(statement.names(value), isLocal);
    }
    return tokens.is(what, TokenKind.QUOTED) ? PathChange.unknown(isLocal) : PathChange.NONE;
  }

  /** A statement that may change it by a function, or by a program in a string. */
  private PathChange inside() {
    for (int i = from; i < to; i++) {
      boolean isSetConfig =
          tokens.isName(i)
              && NameFolding.INSENSITIVE.fold(tokens.text(i)).equalsIgnoreCase("set_config");
      if ((isSetConfig && setsPath(i + 1))
          || (tokens.isWord(from, "DO")
              && tokens.is(i, TokenKind.STRING)
              && IN_PROGRAM.matcher(tokens.text(i)).find())) {
        return PathChange.unknown(false);
      }
    }
    return PathChange.NONE;
  }

  private boolean setsPath(int open) {
    if (!tokens.isOpen(open)) {
      return false;
    }
    Optional<String> setting = statement.string(open + 1);
    return setting.isEmpty()
        || !tokens.is(open + 2, TokenKind.COMMA)
        || Set.of("search_path", "role", "session_authorization")
            .contains(setting.get().toLowerCase(Locale.ROOT));
  }
}
