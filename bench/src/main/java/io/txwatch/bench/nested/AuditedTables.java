package io.txwatch.bench.nested;

import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The tables of the load, each with a trigger that records every version of every row in the table
 * {@code audit}. A version that was rolled back is not in it.
 */
final class AuditedTables {

  /** The tables. */
  static final List<String> NAMES = List.of("ta", "tb", "tc");

  /** The rows of each, with the keys 1 to this number. */
  static final int ROWS = 10;

  private AuditedTables() {}

  /**
   * A version of a row that an UPDATE made.
   *
   * @param replaced the number of the version before it
   * @param row its values
   */
  record Audited(String table, long replaced, long[] row) {}

  /** Creates and fills the tables. */
  static void create(Connection connection, ServerKind kind) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String engine =
          kind == ServerKind.MYSQL || kind == ServerKind.MARIADB ? " ENGINE=InnoDB" : "";
      statement.execute(
          "CREATE TABLE audit (tbl VARCHAR(8), id INT, old_ver BIGINT, new_ver BIGINT, k INT,"
              + " n BIGINT)"
              + engine);
      if (kind == ServerKind.POSTGRESQL) {
        statement.execute(
            "CREATE FUNCTION audit_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " INSERT INTO audit VALUES (TG_TABLE_NAME, NEW.id, OLD.ver, NEW.ver, NEW.k, NEW.n);"
                + " RETURN NULL; END $$");
      }
      for (String table : NAMES) {
        statement.execute(
            "CREATE TABLE "
                + table
                + " (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, n BIGINT NOT NULL, ver BIGINT NOT"
                + " NULL)"
                + engine);
        for (long[] row : initial(table)) {
          statement.execute(
              "INSERT INTO %s VALUES (%d, %d, %d, %d)"
                  .formatted(table, row[0], row[1], row[2], row[3]));
        }
      }
    }
  }

  /** Creates the triggers: after {@code prepare}, which leaves tables with triggers alone. */
  static void audit(Connection connection, ServerKind kind) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : NAMES) {
        statement.execute(trigger(table, kind));
      }
    }
  }

  /**
   * Creates a trigger that writes N and the version of each row of {@code ta} that is updated to
   * the row of {@code tb} with the same key.
   */
  static void copy(Connection connection, ServerKind kind) throws SQLException {
    String update = "UPDATE tb SET n = NEW.n, ver = NEW.ver WHERE id = NEW.id";
    String after = "CREATE TRIGGER copy_ta AFTER UPDATE ON ta FOR EACH ROW ";
    try (Statement statement = connection.createStatement()) {
      switch (kind) {
        case POSTGRESQL -> {
          statement.execute(
              "CREATE FUNCTION copy_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                  + update
                  + "; RETURN NULL; END $$");
          statement.execute(after + "EXECUTE FUNCTION copy_row()");
        }
        case MYSQL, MARIADB -> statement.execute(after + update);
        case SQLITE -> statement.execute(after + "BEGIN " + update + "; END");
        case H2 -> statement.execute(after + "CALL '" + H2CopyTrigger.class.getName() + "'");
      }
    }
  }

  /** The rows of a table before the first UPDATE; their versions have negative numbers. */
  static List<long[]> initial(String table) {
    List<long[]> rows = new ArrayList<>();
    for (int id = 1; id <= ROWS; id++) {
      int number = NAMES.indexOf(table) * ROWS + id;
      rows.add(new long[] {id, number % Column.VALUES_OF_K, -number, -number});
    }
    return rows;
  }

  private static String trigger(String table, ServerKind kind) {
    String after = "CREATE TRIGGER audit_%1$s AFTER UPDATE ON %1$s FOR EACH ROW ".formatted(table);
    String insert =
        "INSERT INTO audit VALUES ('%s', NEW.id, OLD.ver, NEW.ver, NEW.k, NEW.n)".formatted(table);
    return after
        + switch (kind) {
          case POSTGRESQL -> "EXECUTE FUNCTION audit_row()";
          case MYSQL, MARIADB -> insert;
          case SQLITE -> "BEGIN " + insert + "; END";
          case H2 -> "CALL '" + H2AuditTrigger.class.getName() + "'";
        };
  }

  /** Every version that was committed. */
  static List<Audited> audited(Connection connection) throws SQLException {
    List<Audited> all = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT tbl, id, old_ver, new_ver, k, n FROM audit")) {
      while (rows.next()) {
        all.add(
            new Audited(
                rows.getString(1).toLowerCase(Locale.ROOT),
                rows.getLong(3),
                new long[] {rows.getLong(2), rows.getLong(5), rows.getLong(6), rows.getLong(4)}));
      }
    }
    return all;
  }
}
