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
 * @param place what tells this database and default schema apart from others that the same
 *     application uses: the URL without its parameters and credentials, say. Rows of one place are
 *     never compared with rows of another. Empty if there is only one
 */
public record Database(String product, String version, Map<String, String> settings, String place) {

  /** The only database of its history. */
  public Database(String product, String version, Map<String, String> settings) {
    this(product, version, settings, "");
  }

  /** Copies the settings. */
  public Database {
    settings = Map.copyOf(settings);
  }

  /** Product and version: "PostgreSQL 18.6". */
  public String displayName() {
    return version.isEmpty() ? product : product + " " + version;
  }
}
