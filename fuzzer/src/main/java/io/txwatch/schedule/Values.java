package io.txwatch.schedule;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values as cases compare and print them: null, a Boolean, a BigDecimal without trailing zeros for
 * any number, or a String.
 */
public final class Values {

  private Values() {}

  /** The labels of a result's columns. */
  static List<String> labels(ResultSet result) throws SQLException {
    ResultSetMetaData metaData = result.getMetaData();
    int width = metaData.getColumnCount();
    List<String> labels = new ArrayList<>(width);
    for (int i = 1; i <= width; i++) {
      labels.add(metaData.getColumnLabel(i));
    }
    return labels;
  }

  /** Reads all rows of a result. */
  static List<List<@Nullable Object>> rows(ResultSet result) throws SQLException {
    int width = result.getMetaData().getColumnCount();
    List<List<@Nullable Object>> rows = new ArrayList<>();
    while (result.next()) {
      List<@Nullable Object> row = new ArrayList<>(width);
      for (int i = 1; i <= width; i++) {
        row.add(value(result.getObject(i)));
      }
      rows.add(row);
    }
    return rows;
  }

  /** Converts a value that a driver returned. */
  public static @Nullable Object value(@Nullable Object object) throws SQLException {
    if (object == null || object instanceof Boolean || object instanceof String) {
      return object;
    }
    if (object instanceof Number number) {
      return number(number);
    }
    if (object instanceof byte[] bytes) {
      return "0x" + HexFormat.of().formatHex(bytes);
    }
    if (object instanceof Blob blob) {
      return "0x" + HexFormat.of().formatHex(blob.getBytes(1, (int) blob.length()));
    }
    if (object instanceof Clob clob) {
      return clob.getSubString(1, (int) clob.length());
    }
    if (object instanceof Array array) {
      Object content = array.getArray();
      return content instanceof Object[] objects ? Arrays.deepToString(objects) : array.toString();
    }
    return object.toString();
  }

  private static Object number(Number number) {
    if (number instanceof Integer || number instanceof Long) {
      return BigDecimal.valueOf(number.longValue());
    }
    try {
      BigDecimal stripped = new BigDecimal(number.toString()).stripTrailingZeros();
      return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    } catch (NumberFormatException e) {
      return number.toString(); // NaN, Infinity
    }
  }

  /** The text of a value, as the predicates of cases write it. */
  public static String text(@Nullable Object value) {
    return value instanceof BigDecimal number ? number.toPlainString() : String.valueOf(value);
  }

  /** The rows as a bag: sorted by their texts. */
  public static List<String> bag(List<List<@Nullable Object>> rows) {
    return rows.stream().map(Values::line).sorted().toList();
  }

  /** A row, its values separated by commas. */
  public static String line(List<@Nullable Object> row) {
    List<String> texts = new ArrayList<>(row.size());
    for (Object value : row) {
      texts.add(text(value));
    }
    return String.join(",", texts);
  }
}
