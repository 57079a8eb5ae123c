package io.txwatch.catalog;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What a text does to the schemas in which its session looks unqualified names up. What is not
 * understood changes them to unknown ones.
 *
 * @param names where they are looked up, for {@link Effect#TO}: as they stand in the text; a string
 *     as the name in quotes that it means
 * @param isLocal true if it holds until the transaction ends
 */
record PathChange(Effect effect, List<String> names, boolean isLocal) {

  /** What becomes of it. */
  enum Effect {
    /** It stays. */
    NONE,
    /** The named schemas. */
    TO,
    /** As when the session began. */
    RESET,
    /** As when the session began, and as its own user, too. */
    RESET_ALL,
    /** Not known. */
    UNKNOWN,
    /** Not known, and the session may have taken a role. */
    UNKNOWN_ROLE,
    /** Not known, and the session may have become another user. */
    UNKNOWN_USER,
    /** The session takes a role. */
    ROLE,
    /** The session has the role that it began with. */
    OWN_ROLE,
    /** The session becomes another user. */
    USER
  }

  static final PathChange NONE = new PathChange(Effect.NONE, List.of(), false);

  /** A program in a string that may change it. */
  private static final Pattern IN_PROGRAM =
      Pattern.compile(
          "(?is)search_path|set_config"
              + "|\\bset\\s+(?:(?:local|session)\\s+)?(?:schema|role|session|authorization)\\b");

  /** Words that are a value, not a name. */
  private static final Set<String> VALUES =
      Set.of("user", "null", "true", "false", "unknown", "default", "value", "values", "select");

  private static PathChange unknown(boolean local) {
    return new PathChange(Effect.UNKNOWN, List.of(), local);
  }

  private static PathChange of(Effect effect, boolean local) {
    return new PathChange(effect, List.of(), local);
  }

  /** What a text does that was executed. */
  static PathChange of(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    List<Span> statements = StatementSplitter.split(tokens, dialect);
    boolean changes = false;
    for (Span range : statements) {
      PathChange change = new Reader(tokens, range).read(dialect);
      if (statements.size() == 1 && !tokens.isBroken()) {
        return change.effect == Effect.UNKNOWN ? withRole(change, sql) : change;
      }
      changes |= change.effect != Effect.NONE;
    }
    return changes ? withRole(unknown(false), sql) : NONE;
  }

  /** A text of which it is not known what it does may change the role, too, if it names one. */
  private static PathChange withRole(PathChange unknown, String sql) {
    String text = sql.toLowerCase(Locale.ROOT);
    Effect effect =
        text.contains("authorization")
            ? Effect.UNKNOWN_USER
            : text.contains("role") ? Effect.UNKNOWN_ROLE : Effect.UNKNOWN;
    return new PathChange(effect, List.of(), unknown.isLocal);
  }

  /** Reads one statement. */
  private static final class Reader {

    private final Tokens tokens;
    private final int from;
    private final int to;

    Reader(Tokens tokens, Span range) {
      this.tokens = tokens;
      this.from = range.from();
      this.to = range.to();
    }

    PathChange read(Dialect dialect) {
      return dialect
          .<Function<Reader, PathChange>>select(
              Reader::ofPostgres,
              Reader::ofMySql,
              Reader::ofMySql,
              Reader::ofH2,
              one -> NONE,
              Reader::ofOther)
          .apply(this);
    }

    private PathChange ofMySql() {
      return tokens.isWord(from, "USE") ? to(names(from + 1), false) : NONE;
    }

    private PathChange ofH2() {
      if (tokens.isWord(from, "USE")) {
        return to(names(from + 1), false);
      }
      if (!tokens.areWords(from, "SET", "SCHEMA")) {
        return NONE; // SCHEMA_SEARCH_PATH comes after the schema
      }
      int value = from + 2;
      boolean isAssigned = tokens.isOperator(value, '=') || tokens.isWord(value, "TO");
      return to(names(isAssigned ? value + 1 : value), false);
    }

    private PathChange ofOther() {
      boolean isSet = tokens.isWord(from, "SET");
      int what = tokens.isWord(from + 1, "CURRENT") ? from + 2 : from + 1;
      if (isSet && tokens.isWord(what, "SCHEMA")) {
        int value = tokens.isOperator(what + 1, '=') ? what + 2 : what + 1;
        return value + 1 == to && tokens.isName(value) ? to(names(value), false) : unknown(false);
      }
      boolean mayChange =
          tokens.isAnyWord(from, "USE", "CONNECT")
              || (isSet || tokens.isWord(from, "ALTER") && tokens.isWord(from + 1, "SESSION"))
                  && tokens.hasAnyWord(
                      from,
                      to,
                      "SCHEMA",
                      "CURRENT_SCHEMA",
                      "SQLID",
                      "CURRENT_SQLID",
                      "PATH",
                      "CATALOG",
                      "AUTHORIZATION",
                      "ROLE",
                      "USER");
      return mayChange ? unknown(false) : NONE;
    }

    private PathChange ofPostgres() {
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
        return NONE; // a setting that it may name is of other sessions, or of a function
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
          : NONE;
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
        return to(names(what + 1), isLocal);
      }
      if (tokens.isWord(what, "SEARCH_PATH")) {
        int value = what + 2;
        boolean isDefault = tokens.isWord(value, "DEFAULT") && value + 1 == to;
        return isDefault ? PathChange.of(Effect.RESET, isLocal) : to(names(value), isLocal);
      }
      return tokens.is(what, TokenKind.QUOTED) ? unknown(isLocal) : NONE;
    }

    /** A statement that may change it by a function, or by a program in a string. */
    private PathChange inside() {
      for (int i = from; i < to; i++) {
        boolean isSetConfig =
            tokens.isName(i) && plain(tokens.text(i)).equalsIgnoreCase("set_config");
        if ((isSetConfig && setsPath(i + 1))
            || (tokens.isWord(from, "DO")
                && tokens.is(i, TokenKind.STRING)
                && IN_PROGRAM.matcher(tokens.text(i)).find())) {
          return unknown(false);
        }
      }
      return NONE;
    }

    private boolean setsPath(int open) {
      if (!tokens.isOpen(open)) {
        return false;
      }
      Optional<String> setting = string(open + 1);
      return setting.isEmpty()
          || !tokens.is(open + 2, TokenKind.COMMA)
          || Set.of("search_path", "role", "session_authorization")
              .contains(setting.get().toLowerCase(Locale.ROOT));
    }

    private PathChange to(List<String> names, boolean local) {
      return names.isEmpty() ? unknown(local) : new PathChange(Effect.TO, names, local);
    }

    /** The list of names and strings to the end; empty if there is anything else. */
    private List<String> names(int first) {
      List<String> names = new ArrayList<>();
      for (int i = first; i < to; i += 2) {
        if (i + 1 < to && !tokens.is(i + 1, TokenKind.COMMA) || i + 2 == to) {
          return List.of();
        }
        Optional<String> name =
            tokens.is(i, TokenKind.STRING) ? string(i).map(Reader::quoted) : name(i);
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

    private Optional<String> string(int i) {
      String text = tokens.is(i, TokenKind.STRING) ? tokens.text(i) : "";
      return text.startsWith("'") && text.endsWith("'") && text.indexOf('\\') < 0
          ? Optional.of(text.substring(1, text.length() - 1).replace("''", "'"))
          : Optional.empty();
    }

    private static String quoted(String name) {
      return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String plain(String name) {
      return NameFolding.INSENSITIVE.fold(name);
    }
  }
}
