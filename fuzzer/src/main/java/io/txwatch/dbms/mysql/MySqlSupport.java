package io.txwatch.dbms.mysql;

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
import java.util.stream.Stream;

/** MySQL and DBMSs with the same protocol. */
public final class MySqlSupport implements DbmsSupport {

  @Override
  public List<String> products() {
    return List.of("MySQL", "TiDB", "OceanBase");
  }

  @Override
  public Dbms open(Database database, String url, Connector connector, Connection probed)
      throws SQLException {
    return new MySqlDbms(
        database,
        url,
        connector,
        MySqlDbms.requiresPrimaryKeys(probed),
        MySqlFeatures.missing(probed));
  }

  @Override
  public List<KnownBehaviour> knownBehaviours() {
    return Stream.<KnownBehaviour>concat(
            Stream.of(MySqlBehaviour.values()), Stream.of(InnodbBehaviour.values()))
        .toList();
  }

  @Override
  public GeneratedDialect dialect() {
    return new MySqlGeneratedDialect();
  }

  @Override
  public GeneratedDialect dialect(Set<SqlFeature> missing) {
    return new MySqlGeneratedDialect(missing);
  }
}
