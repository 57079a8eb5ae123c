package io.txwatch.schedule;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement with parameters for the whole numbers that it compares with a column of a generated
 * table or assigns to one. Their types are those of the columns, so no DBMS has to infer a type.
 *
 * @param sql its text with parameters
 * @param values their values
 */
record PreparedText(String sql, List<Integer> values) {

  /** A text in quotes, which stays as it is, or a column, an operator and a number. */
  private static final Pattern NUMBER =
      Pattern.compile("'(?:[^']|'')*'|(\\bc\\d+ (?:=|<>|<=|>=|<|>) )(-?\\d{1,9})(?=[\\s),]|$)");

  /** Copies its arguments. */
  PreparedText {
    values = List.copyOf(values);
  }

  /** Replaces the numbers of a statement. */
  static PreparedText of(String sql) {
    StringBuilder text = new StringBuilder();
    List<Integer> values = new ArrayList<>();
    Matcher matcher = NUMBER.matcher(sql);
    while (matcher.find()) {
      if (matcher.group(2) == null) {
        matcher.appendReplacement(text, Matcher.quoteReplacement(matcher.group()));
      } else {
        values.add(Integer.valueOf(matcher.group(2)));
        matcher.appendReplacement(text, Matcher.quoteReplacement(matcher.group(1) + "?"));
      }
    }
    return new PreparedText(matcher.appendTail(text).toString(), values);
  }

  /** Prepares it and sets its parameters. */
  PreparedStatement prepare(Connection connection) throws SQLException {
    PreparedStatement prepared = connection.prepareStatement(sql);
    try {
      for (int i = 0; i < values.size(); i++) {
        prepared.setInt(i + 1, values.get(i));
      }
      return prepared;
    } catch (SQLException | RuntimeException e) {
      prepared.close();
      throw e;
    }
  }
}
