package io.txwatch.jdbc.plan;

import io.txwatch.capture.KeyText;
import io.txwatch.capture.PredicateHash;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import io.txwatch.plan.RowNaming;
import io.txwatch.plan.RowNaming.Literal;
import io.txwatch.plan.RowNaming.Parameter;
import io.txwatch.plan.RowNaming.Selected;
import io.txwatch.sql.syntax.UuidText;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of a table's rows while a result is read. {@link #bits} is for each row, and
 * allocates nothing for keys of integers; {@link #text} is for rows whose key is not recorded yet.
 */
public final class RowNameReader {

  private final String table;
  private final List<RowNaming.Value> values;
  private final List<KeyColumn> columns;
  private final boolean usesStar;
  private final int[] parameters;

  private RowNameReader(RowNaming naming) {
    this.table = naming.table();
    this.values = naming.values();
    this.columns = values.stream().map(RowNaming.Value::column).toList();
    this.parameters =
        values.stream()
            .mapToInt(v -> v instanceof Parameter parameter ? parameter.number() : 0)
            .toArray();
    this.usesStar = values.stream().anyMatch(v -> v instanceof Selected s && s.isOfStar());
  }

  /** One for each table of a result; null for a table whose rows are not named. */
  static @Nullable RowNameReader[] of(RowNaming.OfStatement names) {
    @Nullable RowNameReader[] keys = new @Nullable RowNameReader[names.returned().size()];
    for (int i = 0; i < keys.length; i++) {
      RowNaming naming = names.returned().get(i);
      keys[i] = naming.values().isEmpty() ? null : new RowNameReader(naming);
    }
    return keys;
  }

  public String table() {
    return table;
  }

  /** True if a parameter is a value of the key. */
  boolean takes(int parameter) {
    for (int taken : parameters) {
      if (taken == parameter) {
        return true;
      }
    }
    return false;
  }

  /**
   * True if the columns of a result have the places that they had when the statement was planned. A
   * table can have other columns since, by a session that is not watched.
   */
  public boolean fits(ResultSet result) throws SQLException {
    if (!usesStar) {
      return true;
    }
    ResultSetMetaData metaData = result.getMetaData();
    for (RowNaming.Value value : values) {
      if (value instanceof Selected selected
          && !selected.column().name().equalsIgnoreCase(metaData.getColumnName(selected.index()))) {
        return false;
      }
    }
    return true;
  }

  /** 64 bits that are equal for equal keys, and nearly surely for no others; 0 if it is unknown. */
  public long bits(ResultSet result, PinnedValues pinned) throws SQLException {
    long bits = 0;
    for (int i = 0; i < columns.size(); i++) {
      RowNaming.Value value = values.get(i);
      long part;
      if (isLong(value, pinned)) {
        part = integer(value, result, pinned);
        if (part == 0 && value instanceof Selected && result.wasNull()) {
          return 0;
        }
      } else {
        String text = text(value, result, pinned);
        if (text.isEmpty()) {
          return 0;
        }
        part = PredicateHash.text(text);
      }
      bits = KeyedRowHasher.mix(bits ^ part + 1);
    }
    return bits == 0 ? 1 : bits;
  }

  /** The key as reports show it; empty if it is unknown. */
  public String text(ResultSet result, PinnedValues pinned, boolean redacts) throws SQLException {
    List<String> texts = new ArrayList<>(values.size());
    for (RowNaming.Value value : values) {
      String text =
          isLong(value, pinned)
              ? Long.toString(integer(value, result, pinned))
              : text(value, result, pinned);
      if (text.isEmpty()) {
        return "";
      }
      texts.add(text);
    }
    return KeyText.of(columns, texts, redacts);
  }

  private static boolean isLong(RowNaming.Value value, PinnedValues pinned) {
    return value.column().kind() == Kind.INTEGER
        && (value instanceof Selected
            || (value instanceof Parameter parameter && pinned.isInteger(parameter.number())));
  }

  private static long integer(RowNaming.Value value, ResultSet result, PinnedValues pinned)
      throws SQLException {
    return value instanceof Parameter parameter
        ? pinned.integer(parameter.number())
        : result.getLong(((Selected) value).index());
  }

  /** The canonical text; empty if it is unknown. */
  private static String text(RowNaming.Value value, ResultSet result, PinnedValues pinned)
      throws SQLException {
    KeyColumn column = value.column();
    String text = null;
    if (value instanceof Selected selected) {
      text =
          selected.convertsInPlace()
              ? asStored(result.getObject(selected.index()))
              : result.getString(selected.index());
    } else if (value instanceof Literal literal) {
      text = literal.text();
    } else if (value instanceof Parameter parameter) {
      text = text(column, parameter.number(), pinned);
    }
    return text == null ? "" : KeyText.canonical(column, text);
  }

  /** The text of a value as it is stored; null of one that is neither text nor a number. */
  private static @Nullable String asStored(@Nullable Object value) {
    return value instanceof String || value instanceof Number ? value.toString() : null;
  }

  /** The text of a parameter that is surely the column's value; null if it may be another one. */
  private static @Nullable String text(KeyColumn column, int parameter, PinnedValues pinned) {
    Object value = pinned.value(parameter);
    if (pinned.isInteger(parameter)) {
      return column.kind() == Kind.NUMBER ? Long.toString(pinned.integer(parameter)) : null;
    }
    if (value instanceof UUID uuid) {
      return column.kind() == Kind.UUID ? uuid.toString() : null;
    }
    if (value instanceof String text) {
      boolean isExact = column.comparesExactly() && column.kind().isText() && isAscii(text);
      boolean mayBeUuid = column.kind() == Kind.UUID || column.kind().isText();
      return isExact || (mayBeUuid && UuidText.is(text)) ? text : null;
    }
    return null;
  }

  /** Other text may be compared in another character set than the column's. */
  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 128) {
        return false;
      }
    }
    return true;
  }
}
