package io.txwatch.changes.decoding;

import io.txwatch.changes.ChangedRow;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A changed row as {@code test_decoding} prints it: {@code table s.t: UPDATE: old-key:
 * id[integer]:1 new-tuple: id[integer]:1 name[text]:'it''s'}.
 *
 * @param before the values before by column, without those that are NULL; null if there are none
 * @param after the values after by column; null if there are none
 */
record DecodedLine(
    String schema,
    String table,
    ChangedRow.Kind kind,
    @Nullable Map<String, Value> before,
    @Nullable Map<String, Value> after) {

  private static final String TABLE = "table ";
  private static final String OLD = "old-key:";
  private static final String NEW = "new-tuple:";
  private static final String NO_VALUES = "(no-tuple-data)";

  /**
   * A value.
   *
   * @param text without quotes; null for NULL
   * @param isMissing true if the line does not have it, because it was stored apart and is
   *     unchanged
   */
  record Value(@Nullable String text, boolean isMissing) {}

  /**
   * Reads a line.
   *
   * @return empty if it is not about a row
   * @throws IllegalArgumentException if it has another form
   */
  static Optional<DecodedLine> of(String line) {
    if (!line.startsWith(TABLE)) {
      return Optional.empty();
    }
    Reader reader = new Reader(line, TABLE.length());
    String schema = reader.name('.');
    reader.skip(".");
    String table = reader.name(':');
    reader.skip(": ");
    String kind = reader.until(':');
    reader.skip(":");
    return switch (kind) {
      case "INSERT" ->
          Optional.of(
              new DecodedLine(schema, table, ChangedRow.Kind.INSERT, null, reader.values()));
      case "DELETE" ->
          Optional.of(
              new DecodedLine(schema, table, ChangedRow.Kind.DELETE, reader.values(), null));
      case "UPDATE" -> {
        Map<String, Value> before = reader.isAt(" " + OLD) ? reader.values(OLD) : null;
        Map<String, Value> after = before == null ? reader.values() : reader.values(NEW);
        yield Optional.of(new DecodedLine(schema, table, ChangedRow.Kind.UPDATE, before, after));
      }
      default -> Optional.empty();
    };
  }

  /** Reads from left to right. */
  private static final class Reader {

    private final String line;
    private int at;

    Reader(String line, int at) {
      this.line = line;
      this.at = at;
    }

    boolean isAt(String text) {
      return line.startsWith(text, at);
    }

    void skip(String text) {
      if (!isAt(text)) {
        throw new IllegalArgumentException("'" + text + "' expected at " + at + " of: " + line);
      }
      at += text.length();
    }

    String until(char end) {
      int found = line.indexOf(end, at);
      if (found < 0) {
        throw new IllegalArgumentException("'" + end + "' expected after " + at + " of: " + line);
      }
      String text = line.substring(at, found);
      at = found;
      return text;
    }

    /** A name, which is in double quotes if it has other characters than letters and digits. */
    String name(char end) {
      return isAt("\"") ? quoted('"') : until(end);
    }

    /** A text in quotes; a quote in it is doubled. */
    private String quoted(char quote) {
      StringBuilder text = new StringBuilder();
      at++;
      while (at < line.length()) {
        char c = line.charAt(at++);
        if (c == quote) {
          if (at >= line.length() || line.charAt(at) != quote) {
            return text.toString();
          }
          at++;
        }
        text.append(c);
      }
      throw new IllegalArgumentException("an open quote in: " + line);
    }

    @Nullable Map<String, Value> values(String keyword) {
      skip(" " + keyword);
      return values();
    }

    /** The values up to the end of the line or the new values; null if the line has none. */
    @Nullable Map<String, Value> values() {
      Map<String, Value> values = new LinkedHashMap<>();
      while (at < line.length() && !isAt(" " + NEW)) {
        skip(" ");
        if (isAt(NO_VALUES)) {
          return null;
        }
        String column = name('[');
        skip("[");
        at = line.indexOf("]:", at);
        if (at < 0) {
          throw new IllegalArgumentException("no type of " + column + " in: " + line);
        }
        skip("]:");
        values.put(column, value());
      }
      return values;
    }

    private Value value() {
      if (isAt("'")) {
        return new Value(quoted('\''), false);
      }
      if (isAt("B'")) {
        at++;
        return new Value(quoted('\''), false);
      }
      int end = line.indexOf(' ', at);
      String text = line.substring(at, end < 0 ? line.length() : end);
      at += text.length();
      return switch (text) {
        case "null" -> new Value(null, false);
        case "unchanged-toast-datum" -> new Value(null, true);
        default -> new Value(text, false);
      };
    }
  }
}
