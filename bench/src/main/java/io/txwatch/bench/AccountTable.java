package io.txwatch.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The table {@code account} of some benchmarks: a key, a name, a balance and a note. */
public final class AccountTable {

  private static final int ROWS_PER_INSERT = 5_000;

  private AccountTable() {}

  /**
   * Creates and fills it.
   *
   * @param rows the number of rows, whose keys begin at 0
   * @param noteLengths how many lengths the notes have, from 0 on
   */
  public static void create(Connection connection, int rows, int noteLengths) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(40) NOT NULL,"
              + " balance INT NOT NULL, note VARCHAR(100))");
      for (int from = 0; from < rows; from += ROWS_PER_INSERT) {
        List<String> values = new ArrayList<>();
        for (int id = from; id < Math.min(rows, from + ROWS_PER_INSERT); id++) {
          String note = "n".repeat(id % noteLengths);
          values.add("(" + id + ",'owner " + id % 1_000 + "',100,'" + note + "')");
        }
        statement.execute("INSERT INTO account VALUES " + String.join(",", values));
      }
    }
  }
}
