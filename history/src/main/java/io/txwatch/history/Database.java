package io.txwatch.history;

import java.util.Map;
import java.util.TreeMap;

/**
 * The DBMS behind a session, as far as its guarantees depend on it.
 *
 * @param product which it is, in which version
 * @param settings the settings that affect its guarantees, by the DBMS's own names: {@code
 *     innodb_snapshot_isolation=ON}; sorted, possibly empty
 * @param place identifies this database and default schema among those that the application uses,
 *     for example the URL without parameters and credentials. Rows of different places are never
 *     compared. Empty if there is only one
 * @param run identifies the server's run among all: from its start to its stop, crash, or change of
 *     role in a failover. A crash may lose transactions whose commit was acknowledged, so nothing
 *     relates the transactions of two runs. Empty if unknown
 * @param cluster the cluster that it is part of, in which role. The rows of a standby are those of
 *     a place of its own all the same: its reads are of the primary's past
 */
public record Database(
    Product product, Map<String, String> settings, String place, String run, Cluster cluster) {

  /** A database that is not known to be replicated. */
  public Database(Product product, Map<String, String> settings, String place, String run) {
    this(product, settings, place, run, Cluster.UNKNOWN);
  }

  /** The only database of its history. */
  public Database(Product product, Map<String, String> settings) {
    this(product, settings, "");
  }

  /** A database whose server's runs are not distinguished. */
  public Database(Product product, Map<String, String> settings, String place) {
    this(product, settings, place, "");
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
    return new Database(product, settings, place, serverRun, cluster);
  }

  /** The same database, as part of a cluster. */
  public Database of(Cluster other) {
    return new Database(product, settings, place, run, other);
  }

  /** The same database, known by another place. */
  public Database at(String otherPlace) {
    return new Database(product, settings, otherPlace, run, cluster);
  }

  /** The same database, with further settings. */
  public Database with(Map<String, String> further) {
    if (further.isEmpty()) {
      return this;
    }
    Map<String, String> all = new TreeMap<>(settings);
    all.putAll(further);
    return new Database(product, all, place, run, cluster);
  }
}
