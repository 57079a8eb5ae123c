package io.txwatch.dbms.postgresql;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import io.txwatch.oracle.known.KnownBehaviour;
import java.sql.Connection;
import java.util.List;
import java.util.Set;

/** PostgreSQL and DBMSs with the same protocol. */
public final class PostgresSupport implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("PostgreSQL", "CockroachDB", "openGauss");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed) {
    return new PostgresDbms(database, url, connector);
  }

  @Override
  public List<KnownBehaviour> knownBehaviours() {
    return List.of(PostgresBehaviour.values());
  }

  @Override
  public GeneratedDialect dialect() {
    return new PostgresGeneratedDialect();
  }

  @Override
  public GeneratedDialect dialect(Set<SqlFeature> missing) {
    return new PostgresGeneratedDialect(missing);
  }
}
