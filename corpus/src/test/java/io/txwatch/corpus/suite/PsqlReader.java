package io.txwatch.corpus.suite;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a script of psql piece by piece: statements, with psql's variables replaced, and meta
 * commands. It splits as psql does: at a semicolon outside of quotes, comments, parentheses and
 * {@code BEGIN ATOMIC} bodies, and at a backslash.
 */
final class PsqlReader {

  /**
   * A statement or a meta command.
   *
   * @param offset where it begins in the script
   * @param line the number of its line, from 1
   * @param text the statement without its semicolon; or what follows the meta command
   * @param command the meta command with its backslash; empty for a statement
   */
  record Piece(int offset, int line, String text, String command) {}

  private static final Pattern META = Pattern.compile("\\\\(?:[A-Za-z_]+[+]?|[;!?:.\\\\])");
  private static final Pattern DOLLAR =
      Pattern.compile("\\$(?:[A-Za-z_\\x80-\\uffff][\\w\\x80-\\uffff]*)?\\$");
  private static final Pattern VARIABLE =
      Pattern.compile(":(?:'(\\w+)'|\"(\\w+)\"|\\{\\?(\\w+)\\}|(\\w+))");
  private static final Pattern WORD = Pattern.compile("[A-Za-z_\\x80-\\uffff][\\w$\\x80-\\uffff]*");
  private static final Pattern SQL_FUNCTION =
      Pattern.compile("(?is)\\s*create\\s+(?:or\\s+replace\\s+)?(?:function|procedure)\\b.*");
  private static final Pattern ESCAPES =
      Pattern.compile(
          "(?is)\\s*set\\s+(?:session\\s+|local\\s+)?standard_conforming_strings\\s*(?:to|=)\\s*'?(\\w+)'?\\s*");

  private final String script;
  private final Map<String, String> variables = new HashMap<>();
  private boolean backslashEscapes;
  private int at;

  // The statement that is read.
  private final StringBuilder statement = new StringBuilder();
  private int start = -1;

  PsqlReader(String script) {
    this.script = script;
  }

  /** psql's variables, which a script sets and uses. */
  Map<String, String> variables() {
    return variables;
  }

  /** The next piece; empty at the end. */
  Optional<Piece> next() {
    int parentheses = 0;
    int blocks = 0;
    while (at < script.length()) {
      char c = script.charAt(at);
      if (script.startsWith("--", at)) {
        at = endOfLine(at);
      } else if (script.startsWith("/*", at)) {
        copyTo(endOfComment(at));
      } else if (c == '\'' || c == '"') {
        copyTo(endOfQuoted(at, c, c == '\'' && (backslashEscapes || isEscapeString())));
      } else if (c == '$' && startsAt(DOLLAR, at).isPresent() && !followsWord()) {
        String tag = startsAt(DOLLAR, at).get();
        int end = script.indexOf(tag, at + tag.length());
        copyTo(end < 0 ? script.length() : end + tag.length());
      } else if (c == ':' && script.startsWith("::", at)) {
        copyTo(at + 2);
      } else if (c == ':' && variable().isPresent()) {
        begin();
        statement.append(variable().get());
        Matcher name = VARIABLE.matcher(script).region(at, script.length());
        name.lookingAt();
        at = name.end();
      } else if (c == '\\') {
        Optional<String> command = startsAt(META, at);
        if (command.isEmpty()) {
          copyTo(at + 1);
        } else if (command.get().equals("\\;")) {
          begin();
          statement.append(';');
          at += 2;
        } else {
          return Optional.of(meta(command.get()));
        }
      } else if (c == ';' && parentheses <= 0 && blocks == 0) {
        at++;
        if (start >= 0) {
          return Optional.of(statement());
        }
      } else if (startsAt(WORD, at).isPresent() && !followsWord()) {
        String word = startsAt(WORD, at).get();
        blocks = blocks(blocks, word.toLowerCase(Locale.ROOT));
        copyTo(at + word.length());
      } else {
        parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
        copyTo(at + 1);
      }
    }
    return start < 0 ? Optional.empty() : Optional.of(statement());
  }

  /** The data of a COPY that has begun, up to its end marker. */
  String copyData() {
    at = Math.min(script.length(), endOfLine(at) + 1);
    StringBuilder data = new StringBuilder();
    while (at < script.length()) {
      int end = endOfLine(at);
      String line = script.substring(at, end);
      at = Math.min(script.length(), end + 1);
      if (line.equals("\\.")) {
        break;
      }
      data.append(line).append('\n');
    }
    return data.toString();
  }

  /** The statement so far, which a meta command ends. */
  Optional<Piece> pending() {
    return start < 0 ? Optional.empty() : Optional.of(statement());
  }

  /** Replaces psql's variables in the arguments of a meta command. */
  String expand(String arguments) {
    return VARIABLE
        .matcher(arguments)
        .replaceAll(found -> Matcher.quoteReplacement(value(found::group).orElse(found.group())));
  }

  private int blocks(int blocks, String word) {
    if (!SQL_FUNCTION.matcher(statement).matches()) {
      return 0;
    }
    return switch (word) {
      case "begin" -> blocks + 1;
      case "case" -> blocks > 0 ? blocks + 1 : 0;
      case "end" -> Math.max(0, blocks - 1);
      default -> blocks;
    };
  }

  private Piece statement() {
    Piece piece = new Piece(start, line(start), statement.toString().strip(), "");
    statement.setLength(0);
    start = -1;
    Matcher escapes = ESCAPES.matcher(piece.text());
    if (escapes.matches()) {
      backslashEscapes = escapes.group(1).equalsIgnoreCase("off");
    }
    return piece;
  }

  private Piece meta(String command) {
    int offset = at;
    at += command.length();
    int end = endOfLine(at);
    int next =
        command.startsWith("\\g") || command.equals("\\set") ? -1 : script.indexOf("\\\\", at);
    if (next >= 0 && next < end) {
      end = next;
    }
    String arguments = script.substring(at, end).strip();
    at = next >= 0 && next == end ? end + 2 : end;
    return new Piece(offset, line(offset), arguments, command);
  }

  private void begin() {
    if (start < 0) {
      start = at;
    }
  }

  private void copyTo(int end) {
    String text = script.substring(at, end);
    if (start >= 0 || !text.isBlank()) {
      begin();
      statement.append(text);
    }
    at = end;
  }

  private Optional<String> variable() {
    Matcher name = VARIABLE.matcher(script).region(at, script.length());
    return name.lookingAt() ? value(name::group) : Optional.empty();
  }

  private Optional<String> value(Function<Integer, String> group) {
    for (int i = 1; i <= 4; i++) {
      String name = group.apply(i);
      if (name != null) {
        if (i == 3) {
          return Optional.of(variables.containsKey(name) ? "TRUE" : "FALSE");
        }
        String value = variables.get(name);
        if (value == null) {
          return Optional.empty();
        }
        return Optional.of(
            switch (i) {
              case 1 -> "'" + value.replace("'", "''") + "'";
              case 2 -> '"' + value.replace("\"", "\"\"") + '"';
              default -> value;
            });
      }
    }
    return Optional.empty();
  }

  private Optional<String> startsAt(Pattern pattern, int offset) {
    Matcher matcher = pattern.matcher(script).region(offset, script.length());
    return matcher.lookingAt() ? Optional.of(matcher.group()) : Optional.empty();
  }

  private boolean followsWord() {
    return at > 0
        && (Character.isLetterOrDigit(script.charAt(at - 1)) || script.charAt(at - 1) == '_');
  }

  private boolean isEscapeString() {
    return at > 0
        && (script.charAt(at - 1) == 'E' || script.charAt(at - 1) == 'e')
        && (at == 1 || !Character.isLetterOrDigit(script.charAt(at - 2)));
  }

  private int endOfQuoted(int from, char quote, boolean escapes) {
    int i = from + 1;
    while (i < script.length() && script.charAt(i) != quote) {
      i += escapes && script.charAt(i) == '\\' ? 2 : 1;
    }
    return Math.min(script.length(), i + 1); // a doubled quote begins the next part
  }

  private int endOfComment(int from) {
    int depth = 0;
    int i = from;
    while (i < script.length()) {
      if (script.startsWith("/*", i)) {
        depth++;
        i += 2;
      } else if (script.startsWith("*/", i)) {
        i += 2;
        if (--depth == 0) {
          return i;
        }
      } else {
        i++;
      }
    }
    return script.length();
  }

  private int endOfLine(int from) {
    int end = script.indexOf('\n', from);
    return end < 0 ? script.length() : end;
  }

  private int line(int offset) {
    return 1 + (int) script.substring(0, offset).chars().filter(c -> c == '\n').count();
  }
}
