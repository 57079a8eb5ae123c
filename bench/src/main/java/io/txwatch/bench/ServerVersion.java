package io.txwatch.bench;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** Product names and versions in reports. */
public final class ServerVersion {

  private ServerVersion() {}

  /** The product and its version: {@code PostgreSQL 18.6}. */
  public static String of(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    return metaData.getDatabaseProductName()
        + " "
        + metaData.getDatabaseProductVersion().replaceAll("[ (-].*", "");
  }

  /** The same with the driver and its version. */
  public static String withDriver(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    return of(connection) + ", " + metaData.getDriverName() + " " + metaData.getDriverVersion();
  }
}
