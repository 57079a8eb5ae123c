package io.txwatch.history;

import java.util.Map;

/**
 * The DBMS behind a session, as far as its guarantees depend on it.
 *
 * @param product its normalised name: "PostgreSQL", "MySQL", "MariaDB", "H2", "SQLite", "TiDB",
 *     "CockroachDB", "OceanBase", "openGauss"; any other name as the driver reports it
 * @param version its reported version: "18.6"
 * @param settings the settings that affect its guarantees, by the DBMS's own names: {@code
 *     innodb_snapshot_isolation=ON}; sorted, possibly empty
 * @param place identifies this database and default schema among those that the application uses,
 *     for example the URL without parameters and credentials. Rows of different places are never
 *     compared. Empty if there is only one
 */
public record Database(String product, String version, Map<String, String> settings, String place) {

  /** The only database of its history. */
  public Database(String product, String version, Map<String, String> settings) {
    this(product, version, settings, "");
  }

  public Database {
    settings = Map.copyOf(settings);
  }

  /** Product and version: "PostgreSQL 18.6". */
  public String displayName() {
    return version.isEmpty() ? product : product + " " + version;
  }
}
