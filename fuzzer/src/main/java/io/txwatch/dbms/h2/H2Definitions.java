package io.txwatch.dbms.h2;

import io.txwatch.dbms.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Lets H2 write down how a table is defined. */
final class H2Definitions {

  private static final Pattern DEFINITION =
      Pattern.compile("^(CREATE .*\\b(TABLE|INDEX|SEQUENCE) |ALTER TABLE )");

  private H2Definitions() {}

  /**
   * The statements that define a table.
   *
   * @throws SQLException if it has a trigger, or the user may not read definitions
   */
  static List<String> of(Connection source, String table) throws SQLException {
    String schema = quoted(source.getSchema());
    try (PreparedStatement triggers =
        source.prepareStatement(
            "SELECT TRIGGER_NAME FROM INFORMATION_SCHEMA.TRIGGERS"
                + " WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?"
                + " AND JAVA_CLASS NOT LIKE 'io.txwatch.%'")) {
      triggers.setString(1, source.getSchema());
      triggers.setString(2, table);
      try (ResultSet found = triggers.executeQuery()) {
        if (found.next()) {
          throw new SQLException(table + " has a trigger, which is not copied", "0A000");
        }
      }
    }
    List<String> statements = new ArrayList<>();
    for (String line :
        Sql.column(
            source, "SCRIPT NODATA NOPASSWORDS NOSETTINGS TABLE " + schema + "." + quoted(table))) {
      String sql = line.strip();
      if (DEFINITION.matcher(sql).find()) {
        statements.add(sql.replace(schema + ".", "").replaceAll(";$", ""));
      }
    }
    return statements;
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
