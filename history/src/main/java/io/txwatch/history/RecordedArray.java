package io.txwatch.history;

import io.txwatch.history.RecordedValue.Type;
import java.sql.Array;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An array of one dimension, as the text of a {@link RecordedValue} of {@link Type#ARRAY} has it:
 * {@code INTEGER{1,NULL}}, {@code TEXT{"a","\""}}.
 *
 * @param elementType the SQL type of its elements: one of {@link #TYPES}
 * @param elements each of them NULL or of the type that {@link #TYPES} has for that
 */
public record RecordedArray(String elementType, List<RecordedValue> elements) {

  /** The maximum number of elements. A longer array is {@link Type#UNKNOWN}. */
  public static final int MAX_ELEMENTS = 100;

  /** The types of elements, by the names that literals have for them. */
  private static final Map<String, Type> TYPES =
      Map.of(
          "SMALLINT", Type.INTEGER,
          "INTEGER", Type.INTEGER,
          "BIGINT", Type.INTEGER,
          "NUMERIC", Type.DECIMAL,
          "DOUBLE PRECISION", Type.DOUBLE,
          "BOOLEAN", Type.BOOLEAN,
          "TEXT", Type.TEXT,
          "VARCHAR", Type.TEXT,
          "UUID", Type.UUID,
          "DATE", Type.DATE);

  /** Other names that drivers have for them. */
  private static final Map<String, String> ALIASES =
      Map.of(
          "INT2", "SMALLINT",
          "INT4", "INTEGER",
          "INT8", "BIGINT",
          "FLOAT8", "DOUBLE PRECISION",
          "BOOL", "BOOLEAN",
          "CHARACTER VARYING", "VARCHAR");

  public RecordedArray {
    elements = List.copyOf(elements);
  }

  /** Whether arrays of such elements are recorded, as a driver names their type. */
  public static boolean isKnownType(@Nullable String name) {
    return name != null && TYPES.containsKey(standard(name));
  }

  private static String standard(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return ALIASES.getOrDefault(upper, upper);
  }

  /** Records an array; unknown if it is not one of {@link #MAX_ELEMENTS} simple values. */
  static RecordedValue record(Array array) {
    try {
      String name = array.getBaseTypeName();
      return isKnownType(name) && array.getArray() instanceof Object[] values
          ? record(standard(name), values)
          : RecordedValue.UNKNOWN;
    } catch (SQLException e) { // it was freed, or its connection is closed
      return RecordedValue.UNKNOWN;
    }
  }

  /** Records what drivers accept as an array of one of these types. */
  static RecordedValue record(Object[] values) {
    Object first = null;
    for (int i = 0; i < Math.min(values.length, MAX_ELEMENTS) && first == null; i++) {
      first = values[i];
    }
    String type =
        first instanceof Integer
            ? "INTEGER"
            : first instanceof Long
                ? "BIGINT"
                : first instanceof Short
                    ? "SMALLINT"
                    : first == null || isArray(first) ? "" : ofType(RecordedValue.of(first).type());
    return type.isEmpty() ? RecordedValue.UNKNOWN : record(type, values);
  }

  private static boolean isArray(@Nullable Object value) {
    return value != null && value.getClass().isArray();
  }

  private static String ofType(Type type) {
    return switch (type) {
      case DECIMAL -> "NUMERIC";
      case DOUBLE -> "DOUBLE PRECISION";
      case BOOLEAN -> "BOOLEAN";
      case TEXT -> "VARCHAR";
      case UUID -> "UUID";
      case DATE -> "DATE";
      default -> "";
    };
  }

  private static RecordedValue record(String type, Object[] values) {
    if (values.length > MAX_ELEMENTS) {
      return RecordedValue.UNKNOWN;
    }
    List<RecordedValue> elements = new ArrayList<>();
    for (Object value : values) {
      RecordedValue element = isArray(value) ? RecordedValue.UNKNOWN : RecordedValue.of(value);
      if (element.type() != Type.NULL && element.type() != TYPES.get(type)) {
        return RecordedValue.UNKNOWN;
      }
      elements.add(element);
    }
    return new RecordedArray(type, elements).toValue();
  }

  /** The array as a value. */
  public RecordedValue toValue() {
    StringBuilder text = new StringBuilder(elementType).append('{');
    for (int i = 0; i < elements.size(); i++) {
      RecordedValue element = elements.get(i);
      text.append(i > 0 ? "," : "");
      if (element.type() == Type.NULL) {
        text.append("NULL");
      } else if (element.type() == Type.TEXT) {
        text.append('"')
            .append(element.text().replace("\\", "\\\\").replace("\"", "\\\""))
            .append('"');
      } else {
        text.append(element.text());
      }
    }
    text.append('}');
    return text.length() > RecordedValue.MAX_CHARACTERS
        ? RecordedValue.UNKNOWN
        : new RecordedValue(Type.ARRAY, text.toString());
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if it is no array
   */
  public static RecordedArray of(RecordedValue value) {
    String text = value.text();
    int open = text.indexOf('{');
    Type type = open < 0 ? null : TYPES.get(text.substring(0, open));
    if (value.type() != Type.ARRAY || type == null || !text.endsWith("}")) {
      throw new IllegalArgumentException("a recorded value is no ARRAY");
    }
    List<RecordedValue> elements = new ArrayList<>();
    int end = text.length() - 1;
    for (int i = open + 1; i < end; i++) { // which skips the comma
      StringBuilder element = new StringBuilder();
      boolean isQuoted = text.charAt(i) == '"';
      if (isQuoted) {
        for (i++; i < end && text.charAt(i) != '"'; i++) {
          i += text.charAt(i) == '\\' ? 1 : 0;
          element.append(text.charAt(i));
        }
        i++;
      } else {
        for (; i < end && text.charAt(i) != ','; i++) {
          element.append(text.charAt(i));
        }
      }
      boolean isNull = !isQuoted && element.toString().equals("NULL");
      elements.add(isNull ? RecordedValue.NULL : new RecordedValue(type, element.toString()));
    }
    return new RecordedArray(text.substring(0, open), elements);
  }

  /** What stands before the elements of its literal, which commas separate. */
  public String opening() {
    return isCast() ? "CAST(ARRAY[" : "ARRAY[";
  }

  /** What stands behind the elements of its literal. */
  public String closing() {
    return isCast() ? "] AS " + elementType + " ARRAY)" : "]";
  }

  /** A numeric type without a scale would round its elements on some DBMSs. */
  private boolean isCast() {
    return !elementType.equals("NUMERIC")
        || elements.stream().allMatch(element -> element.type() == Type.NULL);
  }
}
