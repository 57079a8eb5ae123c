package io.txwatch.product.mariadb;

import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;

import io.txwatch.catalog.AuxiliaryColumns;
import io.txwatch.catalog.TableInfo;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The users and roles of MariaDB that have rights to each column of a table, but not to the table.
 * {@code SELECT *} and an INSERT without a column list require a right to the invisible columns,
 * too (error 1142, observed on 10.11.5), so that these users need one more GRANT. A user who cannot
 * read each column of the application can execute neither, prepared or not.
 *
 * <p>This user sees the rights of others only if it may read the database {@code mysql}.
 */
public final class MariaDbColumnRights {

  private static final String PUBLIC = "'PUBLIC'@''";

  private static final List<String> PRIVILEGES = List.of("SELECT", "INSERT");

  /** Who has a right, as the DBMS names him, and which. */
  private record Right(String grantee, String privilege) {}

  private MariaDbColumnRights() {}

  /** A line for each user or role that needs a GRANT once the table is prepared. */
  static List<String> warnings(Connection connection, TableInfo table) throws SQLException {
    Map<String, List<String>> needed = new TreeMap<>();
    Map<Right, Set<String>> byColumn = byColumn(connection, table);
    if (byColumn.isEmpty()) {
      return List.of();
    }
    Set<Right> wide = wide(connection, table);
    Set<String> own = ownColumns(table);
    Set<String> auxiliary = Set.of(AuxiliaryColumns.ROW_ID, AuxiliaryColumns.WRITERS);
    for (String privilege : PRIVILEGES) {
      byColumn.forEach(
          (right, columns) -> {
            if (right.privilege.equals(privilege)
                && columns.containsAll(own)
                && !columns.containsAll(auxiliary)
                && !wide.contains(right)
                && !wide.contains(new Right(PUBLIC, privilege))) {
              needed.computeIfAbsent(right.grantee, key -> new ArrayList<>()).add(privilege);
            }
          });
    }
    return needed.entrySet().stream().map(e -> warning(table, e.getKey(), e.getValue())).toList();
  }

  private static Set<String> ownColumns(TableInfo table) {
    return table.columns().stream()
        .map(column -> column.name().toLowerCase(Locale.ROOT))
        .filter(name -> !AuxiliaryColumns.isAuxiliary(name))
        .collect(Collectors.toSet());
  }

  private static Map<Right, Set<String>> byColumn(Connection connection, TableInfo table)
      throws SQLException {
    record ColumnRight(Right right, String column) {}
    return query(
            connection,
            "SELECT grantee, privilege_type, column_name FROM information_schema.column_privileges"
                + " WHERE table_schema = ? AND table_name = ?"
                + " AND privilege_type IN ('SELECT', 'INSERT')",
            row ->
                new ColumnRight(
                    new Right(text(row, 1), text(row, 2)), text(row, 3).toLowerCase(Locale.ROOT)),
            table.schema(),
            table.name())
        .stream()
        .collect(
            Collectors.groupingBy(
                ColumnRight::right, Collectors.mapping(ColumnRight::column, Collectors.toSet())));
  }

  /** The rights to the table, to its schema (whose name is a pattern there), and to all schemas. */
  private static Set<Right> wide(Connection connection, TableInfo table) throws SQLException {
    return new HashSet<>(
        query(
            connection,
            "SELECT grantee, privilege_type FROM information_schema.table_privileges"
                + " WHERE table_schema = ? AND table_name = ?"
                + " UNION ALL SELECT grantee, privilege_type"
                + " FROM information_schema.schema_privileges WHERE ? LIKE table_schema"
                + " UNION ALL SELECT grantee, privilege_type"
                + " FROM information_schema.user_privileges",
            row -> new Right(text(row, 1), text(row, 2)),
            table.schema(),
            table.name(),
            table.schema()));
  }

  private static String warning(TableInfo table, String grantee, List<String> privileges) {
    String name = account(grantee);
    return name
        + " has rights to each column of "
        + table.name()
        + ", but not to the table; once it is prepared, "
        + (privileges.contains("SELECT") ? "SELECT *" : "")
        + (privileges.size() > 1 ? " and " : "")
        + (privileges.contains("INSERT") ? "INSERT without a column list" : "")
        + (privileges.size() > 1 ? " fail" : " fails")
        + " with error 1142 until you execute: GRANT "
        + privileges.stream()
            .map(p -> p + " (" + AuxiliaryColumns.ROW_ID + ", " + AuxiliaryColumns.WRITERS + ")")
            .collect(Collectors.joining(", "))
        + (" ON " + quote(table.schema()) + "." + quote(table.name()) + " TO " + name + ";");
  }

  /**
   * The account as SQL names it. {@code information_schema} does not escape quotes in it, and shows
   * a role as an account without a host.
   */
  static String account(String grantee) {
    int at = grantee.lastIndexOf("'@'");
    String user = grantee.substring(1, at);
    String host = grantee.substring(at + 3, grantee.length() - 1);
    if (grantee.equals(PUBLIC)) {
      return "PUBLIC";
    }
    return host.isEmpty() ? quote(user) : quote(user) + "@" + quote(host);
  }

  private static String quote(String name) {
    return MariaDbSql.INSTANCE.quoteInDdl(name);
  }
}
