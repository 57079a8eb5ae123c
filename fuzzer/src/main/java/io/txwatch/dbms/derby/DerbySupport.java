package io.txwatch.dbms.derby;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import java.sql.Connection;
import java.util.List;

/** Derby. */
public final class DerbySupport implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("Apache Derby");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed) {
    return new DerbyDbms(database, connector);
  }

  @Override
  public void prepare(String url) {
    if (url.startsWith("jdbc:derby:")) {
      DerbyDbms.redirectLog();
    }
  }

  @Override
  public GeneratedDialect dialect() {
    return new DerbyGeneratedDialect();
  }
}
