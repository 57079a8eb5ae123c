package io.txwatch.dbms.registry;

import io.txwatch.catalog.DatabaseProbe;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.derby.DerbyDbms;
import io.txwatch.dbms.duckdb.DuckDbDbms;
import io.txwatch.dbms.h2.H2Dbms;
import io.txwatch.dbms.hsqldb.HsqldbDbms;
import io.txwatch.dbms.mysql.MySqlDbms;
import io.txwatch.dbms.postgresql.PostgresDbms;
import io.txwatch.dbms.sqlite.SqliteDbms;
import io.txwatch.history.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** The DBMSs that the fuzzer supports. */
public final class DbmsRegistry {

  private DbmsRegistry() {}

  /** Sets the driver's defaults; to be called before the first connection. */
  public static void prepare(String url) {
    if (url.startsWith("jdbc:derby:")) {
      DerbyDbms.redirectLog();
    }
  }

  /**
   * Detects the DBMS behind a URL.
   *
   * @throws UnsupportedDbmsException if the fuzzer does not support it
   * @throws SQLException if it cannot be reached
   */
  public static Dbms connect(String url, Connector connector)
      throws SQLException, UnsupportedDbmsException {
    prepare(url);
    try (Connection connection = connector.connect(url)) {
      DatabaseProbe probe = DatabaseProbe.of(connection, url);
      Database database = probe.database();
      return switch (database.product().toLowerCase(Locale.ROOT)) {
        case "postgresql", "cockroachdb", "opengauss" -> new PostgresDbms(database, url, connector);
        case "mysql", "mariadb", "tidb", "oceanbase" ->
            new MySqlDbms(database, url, connector, MySqlDbms.requiresPrimaryKeys(connection));
        case "h2" -> new H2Dbms(database, url, connector);
        case "sqlite" -> new SqliteDbms(database, url, connector);
        case "hsql database engine" -> new HsqldbDbms(database, url, connector);
        case "apache derby" -> new DerbyDbms(database, connector);
        case "duckdb" -> new DuckDbDbms(database, connector);
        default -> throw new UnsupportedDbmsException(database.product());
      };
    }
  }
}
