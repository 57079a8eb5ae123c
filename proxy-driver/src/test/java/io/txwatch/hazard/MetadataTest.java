package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** What the database reports about itself. */
class MetadataTest {

  @OnEach
  @DisplayName("54 DatabaseMetaData")
  void databaseMetaData(Place place) throws SQLException {
    place
        .shopWith("CREATE INDEX by_qty ON item (qty, name)")
        .run(
            (connection, transcript) -> {
              DatabaseMetaData metaData = connection.getMetaData();
              String catalog = connection.getCatalog();
              String schema = place.is(ServerKind.SQLITE) ? null : connection.getSchema();
              String table = metaData.storesUpperCaseIdentifiers() ? "ITEM" : "item";
              rows("tables", transcript, () -> metaData.getTables(catalog, schema, "%", null));
              rows("columns", transcript, () -> metaData.getColumns(catalog, schema, "%", "%"));
              rows("some", transcript, () -> metaData.getColumns(catalog, schema, table, "%a%"));
              rows("ours", transcript, () -> metaData.getColumns(catalog, schema, table, "txw%"));
              rows("keys", transcript, () -> metaData.getPrimaryKeys(catalog, schema, table));
              rows(
                  "indexes",
                  transcript,
                  () -> metaData.getIndexInfo(catalog, schema, table, false, true));
              rows(
                  "best row",
                  transcript,
                  () ->
                      metaData.getBestRowIdentifier(
                          catalog, schema, table, DatabaseMetaData.bestRowSession, true));
              rows(
                  "versions", transcript, () -> metaData.getVersionColumns(catalog, schema, table));
              rows(
                  "privileges",
                  transcript,
                  () -> metaData.getColumnPrivileges(catalog, schema, table, "%"));
              rows(
                  "pseudo",
                  transcript,
                  () -> metaData.getPseudoColumns(catalog, schema, table, "%"));
              rows("imported", transcript, () -> metaData.getImportedKeys(catalog, schema, table));
              rows("functions", transcript, () -> metaData.getFunctions(catalog, schema, "txw%"));
            });
  }

  @OnEach
  @DisplayName("54 the positions of columns that were added to a prepared table")
  void positionsOfColumns(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              try (Statement statement = connection.createStatement()) {
                statement.execute("ALTER TABLE item ADD COLUMN weight INT");
                statement.execute("ALTER TABLE item ADD COLUMN width INT");
              }
              DatabaseMetaData metaData = connection.getMetaData();
              String catalog = connection.getCatalog();
              String schema = place.is(ServerKind.SQLITE) ? null : connection.getSchema();
              String table = metaData.storesUpperCaseIdentifiers() ? "ITEM" : "item";
              String some = metaData.storesUpperCaseIdentifiers() ? "W%" : "w%";
              for (String columns : new String[] {null, "%", some}) {
                rows(
                    columns,
                    transcript,
                    () -> metaData.getColumns(catalog, schema, table, columns));
                transcript.step(
                    "numbers",
                    () -> {
                      try (ResultSet rows = metaData.getColumns(catalog, schema, table, columns)) {
                        while (rows.next()) {
                          transcript.line(
                              rows.getDouble(17)
                                  + " "
                                  + rows.getFloat(17)
                                  + " "
                                  + rows.getByte("ORDINAL_POSITION")
                                  + " "
                                  + rows.getBigDecimal("ORDINAL_POSITION"));
                          Object number = rows.getObject("ORDINAL_POSITION");
                          transcript.line(
                              rows.getInt(17)
                                  + " "
                                  + rows.getLong("ordinal_position")
                                  + " "
                                  + number.getClass()
                                  + number
                                  + rows.wasNull());
                        }
                      }
                    });
              }
            });
  }

  private interface Asked {
    ResultSet get() throws SQLException;
  }

  /** Every row with every column but the number and size of pages, which are as they are. */
  private static void rows(String what, Transcript transcript, Asked asked) {
    transcript.step(
        what,
        () -> {
          try (ResultSet rows = asked.get()) {
            int columns = rows.getMetaData().getColumnCount();
            transcript.line("columns " + columns);
            while (rows.next()) {
              List<String> values = new ArrayList<>();
              for (int i = 1; i <= columns; i++) {
                String label = rows.getMetaData().getColumnLabel(i);
                if (!List.of("PAGES", "CARDINALITY").contains(label)) {
                  String value = String.valueOf(rows.getString(i));
                  // H2 counts its objects.
                  values.add(label + "=" + value.replaceAll("PRIMARY_KEY_\\w+", "PRIMARY_KEY"));
                }
              }
              transcript.line(rows.getRow() + " " + values);
            }
          }
        });
  }

  @OnEach
  @DisplayName("54 the columns may be left out of an INSERT: they have defaults or may be null")
  void mayBeLeftOut(Place place) throws SQLException {
    TestDatabase database = place.shop().watched();
    try (Connection raw = database.raw();
        ResultSet columns =
            raw.getMetaData()
                .getColumns(place.isMySqlLike() ? raw.getCatalog() : null, null, null, null)) {
      int found = 0;
      while (columns.next()) {
        if (columns
            .getString("COLUMN_NAME")
            .toLowerCase(java.util.Locale.ROOT)
            .startsWith("txw_")) {
          found++;
          assertThat(
                  columns.getInt("NULLABLE") == DatabaseMetaData.columnNullable
                      || columns.getString("COLUMN_DEF") != null)
              .isTrue();
        }
      }
      // Invisible columns are not even listed by every DBMS.
      assertThat(found).isIn(0, 4);
      TestDatabase.execute(raw, "INSERT INTO item (id, name) VALUES (70, 'raw')");
    }
  }
}
