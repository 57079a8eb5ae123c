package io.txwatch.changes.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ChangedTable.Column;
import io.txwatch.changes.ChangedTable.Key;
import io.txwatch.changes.ColumnType;
import io.txwatch.changes.h2.H2Tables.Name;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.Test;

/** H2's own objects say what its INFORMATION_SCHEMA does. */
class H2TablesTest {

  private static final String DDL =
      """
      CREATE DOMAIN "e mail" AS VARCHAR(100);
      CREATE SCHEMA other;
      CREATE TABLE item(id BIGINT AUTO_INCREMENT PRIMARY KEY, a TINYINT, b SMALLINT NOT NULL,
        c INT, d BOOLEAN, e NUMERIC(10, 2), f DECIMAL, g REAL, h FLOAT, i DOUBLE PRECISION,
        j VARCHAR(10), k CHAR(3), l CLOB, m VARCHAR_IGNORECASE, n BINARY(3), o VARBINARY, p BLOB,
        q DATE, r TIME, s TIME WITH TIME ZONE, t TIMESTAMP, u TIMESTAMP WITH TIME ZONE, v UUID,
        w JSON, x ENUM('a', 'b'), y INTERVAL DAY TO SECOND, z DECFLOAT, aa INT ARRAY,
        ab ROW(x INT, y INT), ac GEOMETRY, ad JAVA_OBJECT, ae "e mail" NOT NULL);
      CREATE TABLE other."Two Keys"(b INT, a INT, u VARCHAR(5), PRIMARY KEY(a, b),
        CONSTRAINT z UNIQUE(u), CONSTRAINT y UNIQUE(u, b));
      CREATE TABLE other.item(x INT UNIQUE);
      CREATE GLOBAL TEMPORARY TABLE passing(id INT PRIMARY KEY);
      CREATE LOCAL TEMPORARY TABLE own(id INT PRIMARY KEY);
      CREATE VIEW seen AS SELECT id FROM item;
      CREATE LINKED TABLE far('org.h2.Driver', 'jdbc:h2:mem:catalog-far', '', '', 'there');
      ALTER TABLE other.item ADD COLUMN later INT NOT NULL DEFAULT 1 BEFORE x;
      ALTER TABLE other.item ADD PRIMARY KEY(later)
      """;

  @Test
  void tablesAreThoseOfInformationSchema() throws SQLException {
    try (Connection far = DriverManager.getConnection("jdbc:h2:mem:catalog-far");
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:catalog");
        Statement statement = connection.createStatement()) {
      try (Statement there = far.createStatement()) {
        there.execute("CREATE TABLE there(id INT)");
      }
      statement.execute(DDL);
      SessionLocal session = (SessionLocal) ((JdbcConnection) connection).getSession();
      H2Tables catalog = H2Tables.read(session.getDatabase());
      assertThat(catalog.tables().keySet())
          .containsExactly(
              new Name("OTHER", "ITEM"),
              new Name("OTHER", "Two Keys"),
              new Name("PUBLIC", "ITEM"),
              new Name("PUBLIC", "PASSING"));
      for (ChangedTable table : catalog.tables().values()) {
        assertThat(columns(table)).isEqualTo(columnsOfInformationSchema(statement, table));
      }
      assertThat(catalog.unreadable()).containsExactly(new Name("PUBLIC", "ITEM"));
      assertThat(types(catalog, new Name("PUBLIC", "ITEM")))
          .startsWith(
              ColumnType.INTEGER,
              ColumnType.INTEGER,
              ColumnType.INTEGER,
              ColumnType.INTEGER,
              ColumnType.BOOLEAN,
              ColumnType.DECIMAL,
              ColumnType.DECIMAL,
              ColumnType.OTHER,
              ColumnType.DOUBLE)
          .endsWith(ColumnType.TEXT);
      assertThat(table(catalog, new Name("OTHER", "Two Keys")).keys())
          .extracting(Key::isPrimary, Key::columns)
          .containsExactly(
              tuple(true, List.of(1, 0)), tuple(false, List.of(2, 0)), tuple(false, List.of(2)));
      assertThat(table(catalog, new Name("OTHER", "ITEM")).keys())
          .extracting(Key::isPrimary, Key::columns)
          .containsExactly(tuple(true, List.of(0)), tuple(false, List.of(1)));
    }
  }

  private static ChangedTable table(H2Tables catalog, Name name) {
    return Objects.requireNonNull(catalog.tables().get(name));
  }

  private static List<ColumnType> types(H2Tables catalog, Name table) {
    return table(catalog, table).columns().stream().map(Column::type).toList();
  }

  private static String columns(ChangedTable table) {
    return table.columns().stream()
        .map(column -> column.name() + " " + column.declared() + " " + column.isNullable())
        .collect(Collectors.joining("\n"));
  }

  private static String columnsOfInformationSchema(Statement statement, ChangedTable table)
      throws SQLException {
    List<String> columns = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT column_name, data_type, is_nullable FROM information_schema.columns"
                + " WHERE table_schema = '"
                + table.schema()
                + "' AND table_name = '"
                + table.name()
                + "' ORDER BY ordinal_position")) {
      while (rows.next()) {
        columns.add(
            rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3).equals("YES"));
      }
    }
    return String.join("\n", columns);
  }
}
