package io.txwatch.dbms.support;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.SqlFeature;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import io.txwatch.oracle.known.KnownBehaviour;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** What the fuzzer knows of a DBMS, or of several that speak one protocol. */
public interface DbmsSupport {

  /** The names of the products, as their drivers report them. */
  List<String> products();

  /** Sets the defaults of the driver for this URL; called before the first connection. */
  default void prepare(String url) {}

  /**
   * The DBMS under test.
   *
   * @param probed a connection to it, which the caller closes
   */
  Dbms open(Database database, String url, Connector connector, Connection probed)
      throws SQLException;

  /** The SQL that is generated for it. */
  GeneratedDialect dialect();

  /**
   * The SQL that is generated for a server that lacks parts of it.
   *
   * @param missing what it lacks
   */
  default GeneratedDialect dialect(Set<SqlFeature> missing) {
    return dialect();
  }

  /** Its known behaviours, the most specific first. */
  default List<KnownBehaviour> knownBehaviours() {
    return List.of();
  }
}
