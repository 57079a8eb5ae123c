package io.txwatch.catalog;

import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A row of {@code sqlite_schema}.
 *
 * @param type view, trigger or table
 * @param name its name
 * @param sql the statement that created it
 * @param table the table that it belongs to
 */
public record SqliteObject(String type, String name, String sql, String table) {

  /** All views, triggers and tables of a database, in the order of their creation. */
  public static List<SqliteObject> all(Connection connection, String schema) throws SQLException {
    return CatalogQueries.query(
        connection,
        "SELECT type, name, sql, tbl_name FROM "
            + NameFolding.quote(Dialect.SQLITE, schema)
            + ".sqlite_schema WHERE type IN ('view', 'trigger', 'table') AND sql IS NOT NULL"
            + " ORDER BY rowid",
        row ->
            new SqliteObject(
                CatalogQueries.text(row, 1),
                CatalogQueries.text(row, 2),
                CatalogQueries.text(row, 3),
                CatalogQueries.text(row, 4)));
  }
}
