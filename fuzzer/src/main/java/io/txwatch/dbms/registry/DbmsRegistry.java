package io.txwatch.dbms.registry;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.derby.DerbySupport;
import io.txwatch.dbms.duckdb.DuckDbSupport;
import io.txwatch.dbms.h2.H2Support;
import io.txwatch.dbms.hsqldb.HsqldbSupport;
import io.txwatch.dbms.mariadb.MariaDbSupport;
import io.txwatch.dbms.mysql.MySqlSupport;
import io.txwatch.dbms.postgresql.PostgresSupport;
import io.txwatch.dbms.sqlite.SqliteSupport;
import io.txwatch.dbms.support.DbmsSupport;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.Database;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.known.CommonBehaviour;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.product.registry.Products;
import io.txwatch.schedule.CaseExecution;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The DBMSs that the fuzzer supports. */
public final class DbmsRegistry {

  private static final List<DbmsSupport> SUPPORTED =
      List.of(
          new PostgresSupport(),
          new MySqlSupport(),
          new MariaDbSupport(),
          new H2Support(),
          new SqliteSupport(),
          new HsqldbSupport(),
          new DerbySupport(),
          new DuckDbSupport());

  private DbmsRegistry() {}

  /** Sets the driver's defaults; to be called before the first connection. */
  public static void prepare(String url) {
    SUPPORTED.forEach(support -> support.prepare(url));
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
      Database database = Products.probe(connection, url).database();
      Optional<DbmsSupport> support = find(database.product().name());
      if (support.isEmpty()) {
        throw new UnsupportedDbmsException(database.product().name(), products());
      }
      return support.get().open(database, url, connector, connection);
    }
  }

  /** The SQL that is generated for a product; empty if the fuzzer does not support it. */
  public static Optional<GeneratedDialect> dialect(String product) {
    return find(product).map(DbmsSupport::dialect);
  }

  /** The SQL that is generated for a DBMS under test. */
  public static GeneratedDialect dialect(Dbms dbms) {
    String product = dbms.database().product().name();
    return find(product)
        .map(support -> support.dialect(dbms.missingFeatures()))
        .orElseThrow(() -> new IllegalArgumentException("no SQL is generated for " + product));
  }

  /** The dialects of all DBMSs. */
  public static List<GeneratedDialect> dialects() {
    return SUPPORTED.stream().map(DbmsSupport::dialect).toList();
  }

  private static Optional<DbmsSupport> find(String product) {
    return SUPPORTED.stream()
        .filter(support -> support.products().stream().anyMatch(product::equalsIgnoreCase))
        .findFirst();
  }

  private static List<String> products() {
    return SUPPORTED.stream().flatMap(support -> support.products().stream()).toList();
  }

  /**
   * The known behaviour of the DBMS that explains a violation.
   *
   * @param executor executes statements and changed cases, to decide what explains it
   * @param execution the violating execution
   * @param verdict the verdict on it
   */
  public static Optional<KnownBehaviour> knownBehaviour(
      CaseExecutor executor, CaseExecution execution, OracleVerdict verdict)
      throws SQLException, InterruptedException {
    List<KnownBehaviour> ofProduct =
        find(executor.dbms().database().product().name())
            .map(DbmsSupport::knownBehaviours)
            .orElse(List.of());
    List<KnownBehaviour> candidates =
        Stream.concat(ofProduct.stream(), Stream.of(CommonBehaviour.values())).toList();
    return KnownBehaviour.explaining(candidates, executor, execution, verdict);
  }
}
