package io.txwatch.history;

import java.util.Map;

/**
 * The DBMS behind a session, as far as its guarantees depend on it.
 *
 * @param product the name it gives itself, normalised: "PostgreSQL", "MySQL", "MariaDB", "H2",
 *     "SQLite", "TiDB", "CockroachDB", "OceanBase", "openGauss"; anything else as the driver says
 *     it
 * @param version its version, as it says it: "18.6"
 * @param settings what changes its guarantees, by the DBMS's own names: {@code
 *     innodb_snapshot_isolation=ON}; sorted, maybe empty
 */
public record Database(String product, String version, Map<String, String> settings) {

  /** Copies the settings. */
  public Database {
    settings = Map.copyOf(settings);
  }

  /** Product and version: "PostgreSQL 18.6". */
  public String displayName() {
    return version.isEmpty() ? product : product + " " + version;
  }
}
