package io.txwatch.dbms.sqlite;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import java.sql.Connection;
import java.util.List;

/** SQLite. */
public final class SqliteSupport implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("SQLite");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed) {
    return new SqliteDbms(database, url, connector);
  }

  @Override
  public GeneratedDialect dialect() {
    return new SqliteGeneratedDialect();
  }
}
