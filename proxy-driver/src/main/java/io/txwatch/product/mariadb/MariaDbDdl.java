package io.txwatch.product.mariadb;

import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;

import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.product.mysql.MySqlDdl;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;

/** In what MariaDB's DDL differs from MySQL's: rows get their ids with the column. */
public final class MariaDbDdl extends MySqlDdl {

  public MariaDbDdl(SchemaReader reader, boolean hasInvisibleColumns) {
    super(reader, hasInvisibleColumns);
  }

  /** {@code ROW TYPE OF} and {@code HANDLER} take invisible columns for columns. */
  @Override
  public List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    String name = "`?(?i:" + Pattern.quote(table.name()) + ")`?(?![\\w$])";
    String schema = "`?(?i:" + Pattern.quote(table.schema()) + ")`?\\s*\\.\\s*";
    record Code(String schema, String name, String body) {}
    return query(
            connection,
            "SELECT routine_schema, CONCAT(LOWER(routine_type), ' ', routine_schema, '.',"
                + " routine_name), routine_definition FROM information_schema.routines"
                + " UNION ALL SELECT trigger_schema, CONCAT('trigger ', trigger_schema, '.',"
                + " trigger_name), action_statement FROM information_schema.triggers"
                + " UNION ALL SELECT event_schema, CONCAT('event ', event_schema, '.', event_name),"
                + " event_definition FROM information_schema.events",
            row -> new Code(text(row, 1), text(row, 2), text(row, 3)))
        .stream()
        .filter(
            code -> {
              boolean isHome = reader().folding().same(code.schema, table.schema());
              String place = isHome ? "(" + schema + ")?" + name : schema + name;
              return Pattern.compile(
                      "(?is)\\b(row\\s+type\\s+of|handler)\\s+"
                          + place
                          + ("|(?<![\\w$.])" + place + "\\s*%\\s*rowtype"))
                  .matcher(code.body)
                  .find();
            })
        .map(Code::name)
        .toList();
  }

  @Override
  public List<String> warnings(Connection connection, TableInfo table) throws SQLException {
    return MariaDbColumnRights.warnings(connection, table);
  }

  @Override
  public boolean filledByUpdate() {
    return false;
  }

  @Override
  public List<String> waitForNoLock() {
    return List.of("SET SESSION lock_wait_timeout = 0");
  }

  /** Not known. */
  @Override
  public boolean isLocked(Connection connection, TableInfo table) {
    return false;
  }
}
