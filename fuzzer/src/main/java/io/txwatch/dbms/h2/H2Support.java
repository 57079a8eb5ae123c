package io.txwatch.dbms.h2;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import io.txwatch.oracle.known.KnownBehaviour;
import java.sql.Connection;
import java.util.List;

/** H2. */
public final class H2Support implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("H2");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed) {
    return new H2Dbms(database, url, connector);
  }

  @Override
  public List<KnownBehaviour> knownBehaviours() {
    return List.of(H2Behaviour.values());
  }

  @Override
  public GeneratedDialect dialect() {
    return new H2GeneratedDialect();
  }
}
