package io.txwatch.dbms.duckdb;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import io.txwatch.oracle.known.KnownBehaviour;
import java.sql.Connection;
import java.util.List;

/** DuckDB. */
public final class DuckDbSupport implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("DuckDB");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed) {
    return new DuckDbDbms(database, connector);
  }

  @Override
  public List<KnownBehaviour> knownBehaviours() {
    return List.of(DuckDbBehaviour.values());
  }

  @Override
  public GeneratedDialect dialect() {
    return new DuckDbGeneratedDialect();
  }
}
