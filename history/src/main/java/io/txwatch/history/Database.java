package io.txwatch.history;

import java.util.Map;
import java.util.TreeMap;

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
 * @param run identifies the server's run among all: from its start to its stop, crash, or change of
 *     role in a failover. A crash may lose transactions whose commit was acknowledged, so nothing
 *     relates the transactions of two runs. Empty if unknown
 */
public record Database(
    String product, String version, Map<String, String> settings, String place, String run) {

  /** The only database of its history. */
  public Database(String product, String version, Map<String, String> settings) {
    this(product, version, settings, "");
  }

  /** A database whose server's runs are not distinguished. */
  public Database(String product, String version, Map<String, String> settings, String place) {
    this(product, version, settings, place, "");
  }

  public Database {
    settings = Map.copyOf(settings);
  }

  /**
   * The place in the server's run: rows of different scopes are never compared. A row that is read
   * after a crash may be one that was written again, with the same keys, after its first version
   * was lost.
   */
  public String scope() {
    return run.isEmpty() ? place : place + " since " + run;
  }

  /** The same database, in a run of its server. */
  public Database in(String serverRun) {
    return new Database(product, version, settings, place, serverRun);
  }

  /** The same database, with further settings. */
  public Database with(Map<String, String> further) {
    if (further.isEmpty()) {
      return this;
    }
    Map<String, String> all = new TreeMap<>(settings);
    all.putAll(further);
    return new Database(product, version, all, place, run);
  }

  /** Product and version: "PostgreSQL 18.6". */
  public String displayName() {
    return version.isEmpty() ? product : product + " " + version;
  }
}
