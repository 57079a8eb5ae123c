package io.txwatch.dbms.h2;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import io.txwatch.oracle.known.KnownBehaviour;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** H2. */
public final class H2Support implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("H2");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed)
      throws SQLException {
    return new H2Dbms(database, url, connector, H2Features.of(probed));
  }

  @Override
  public List<KnownBehaviour> knownBehaviours() {
    return List.of(H2Behaviour.values());
  }

  @Override
  public GeneratedDialect dialect() {
    return new H2GeneratedDialect();
  }

  @Override
  public GeneratedDialect dialect(Set<SqlFeature> missing) {
    return new H2GeneratedDialect(missing);
  }
}
