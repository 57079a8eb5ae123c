package io.txwatch.product.postgresql;

import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.CatalogQueries.RowMapper;
import io.txwatch.plan.Catalog;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Runs queries of PostgreSQL's system catalog on sessions of an application. They call nothing that
 * a user has defined: see {@link PgCatalogNames}, which qualifies every text.
 */
public final class PostgresQueries {

  private PostgresQueries() {}

  /** Runs a query with string parameters and reads all of its rows. */
  public static <T> List<T> query(
      Connection connection, String sql, RowMapper<T> mapper, String... parameters)
      throws SQLException {
    return CatalogQueries.query(connection, PgCatalogNames.qualify(sql), mapper, parameters);
  }

  /** What a view's query shows of it; nothing if this user may not see it. */
  static Catalog.Traits view(Connection connection, String sql, String... parameters)
      throws SQLException {
    return CatalogQueries.view(connection, PgCatalogNames.qualify(sql), parameters);
  }
}
