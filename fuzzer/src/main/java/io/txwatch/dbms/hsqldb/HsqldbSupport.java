package io.txwatch.dbms.hsqldb;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import io.txwatch.oracle.known.KnownBehaviour;
import java.sql.Connection;
import java.util.List;

/** HSQLDB. */
public final class HsqldbSupport implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("HSQLDB");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed) {
    return new HsqldbDbms(database, url, connector);
  }

  @Override
  public List<KnownBehaviour> knownBehaviours() {
    return List.of(HsqldbBehaviour.values());
  }

  @Override
  public GeneratedDialect dialect() {
    return new HsqldbGeneratedDialect();
  }
}
