package io.txwatch.product.postgresql;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.product.WatchedProduct;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** PostgreSQL. */
public final class PostgresProduct implements WatchedProduct {

  private static final Set<String> PRODUCTS = Set.of("PostgreSQL", "CockroachDB", "openGauss");

  @Override
  public DialectSql sql() {
    return PostgresSql.INSTANCE;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new PostgresTransactionRules(dialect());
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new PostgresSnapshotRules(dialect(), database.product().is("PostgreSQL"));
  }

  @Override
  public boolean isDriverName(String name) {
    return name.contains("postgresql") || name.contains("cockroach") || name.contains("gauss");
  }

  @Override
  public Probed probe(Connection connection, String name, String version) throws SQLException {
    return PostgresProbe.probe(connection);
  }

  @Override
  public boolean includes(Product product) {
    return PRODUCTS.contains(product.name());
  }

  @Override
  public SchemaReader reader(Database database, Connection connection, boolean systemColumns) {
    return new PostgresSchemaReader(database, systemColumns);
  }

  @Override
  public Optional<String> obstacleToSystemVersions(Database database) {
    return PostgresSchemaReader.hasSystemVersions(database)
        ? Optional.empty()
        : Optional.of(
            "lacks what txwatch needs of system columns (PostgreSQL 14 and later have it)");
  }

  @Override
  public PreparationDdl preparation(SchemaReader reader, Database database) {
    return new PostgresDdl(reader);
  }

  /**
   * The WAL sender refuses the first statements of a session. It serves a replication connection. A
   * physical one executes no SQL at all (0A000); a logical one does not know {@code SHOW
   * TRANSACTION ISOLATION LEVEL} (42601), with which the driver reads the level.
   */
  @Override
  public boolean isOfReplication(SQLException error) {
    return error.getClass().getName().startsWith("org.postgresql.")
        && ("0A000".equals(error.getSQLState()) || "42601".equals(error.getSQLState()));
  }
}
