package io.txwatch.product.registry;

import io.txwatch.catalog.CatalogProducts;
import io.txwatch.catalog.DatabaseProbe;
import io.txwatch.catalog.DedicatedConnection;
import io.txwatch.catalog.SchemaChangeGate;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TablePreparer;
import io.txwatch.catalog.UnsupportedDatabaseException;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.ErrorChange;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.prepare.AutoPreparation;
import io.txwatch.prepare.Preparation;
import io.txwatch.product.WatchedProduct;
import io.txwatch.product.db2.Db2Product;
import io.txwatch.product.derby.DerbyProduct;
import io.txwatch.product.duckdb.DuckDbProduct;
import io.txwatch.product.h2.H2Product;
import io.txwatch.product.hsqldb.HsqldbProduct;
import io.txwatch.product.mariadb.MariaDbProduct;
import io.txwatch.product.mysql.MySqlProduct;
import io.txwatch.product.oracle.OracleProduct;
import io.txwatch.product.other.GenericProduct;
import io.txwatch.product.postgresql.PostgresProduct;
import io.txwatch.product.sqlite.SqliteProduct;
import io.txwatch.product.sqlserver.SqlServerProduct;
import io.txwatch.sql.dialect.Dialect;
import java.lang.invoke.MethodHandle;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The DBMSs that are watched. To add one, add its package, and one line here. */
public final class Products {

  private static final List<WatchedProduct> KNOWN =
      List.of(
          new PostgresProduct(),
          new MySqlProduct(),
          new MariaDbProduct(),
          new H2Product(),
          new SqliteProduct(),
          new HsqldbProduct(),
          new DerbyProduct(),
          new DuckDbProduct(),
          new OracleProduct(),
          new SqlServerProduct(),
          new Db2Product());

  /** The last one recognizes every DBMS. */
  private static final List<WatchedProduct> ALL =
      Stream.concat(KNOWN.stream(), Stream.of(new GenericProduct())).toList();

  private static final Map<Dialect, WatchedProduct> BY_DIALECT =
      ALL.stream()
          .collect(
              Collectors.toMap(
                  WatchedProduct::dialect,
                  product -> product,
                  (one, other) -> other,
                  () -> new EnumMap<>(Dialect.class)));

  private static final CatalogProducts CATALOGS = new CatalogProducts(ALL);

  private Products() {}

  /** The DBMS that has this SQL; several have standard SQL, of which this is any other one. */
  public static WatchedProduct of(Dialect dialect) {
    return Objects.requireNonNull(BY_DIALECT.get(dialect));
  }

  /** What is known of a DBMS. */
  public static WatchedProduct of(Product product) {
    return ALL.stream().filter(known -> known.includes(product)).findFirst().orElseThrow();
  }

  /** The DBMSs for a catalog. */
  public static CatalogProducts catalogs() {
    return CATALOGS;
  }

  /**
   * Recognizes the DBMS behind a connection that has just been opened: {@link
   * CatalogProducts#probe}.
   */
  public static DatabaseProbe probe(Connection connection, String url) throws SQLException {
    return CATALOGS.probe(connection, url);
  }

  /**
   * The calls that lead from a connection of a driver's class to the number that the DBMS gave it;
   * empty if no known driver keeps it.
   */
  public static List<MethodHandle> numberCalls(Class<?> connection) {
    return ALL.stream()
        .map(product -> product.sql().driver().connectionNumber().on(connection))
        .filter(calls -> !calls.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  /** An error as it is to be shown: {@link DriverTraits#shown}. */
  public static Optional<SQLException> shown(SQLException error, ErrorChange change)
      throws ReflectiveOperationException {
    for (WatchedProduct product : ALL) {
      Optional<SQLException> shown = product.sql().driver().shown(error, change);
      if (shown.isPresent()) {
        return shown;
      }
    }
    return Optional.empty();
  }

  /** True for an error by which a session for replication refuses its first statements. */
  public static boolean isOfReplication(SQLException error) {
    return ALL.stream().anyMatch(product -> product.isOfReplication(error));
  }

  /**
   * The preparation of tables, on a connection that belongs to the caller alone, of a user who owns
   * the tables. Its autocommit is on, and its timeouts are changed.
   *
   * @param url the connection's URL
   * @param lockTimeout how long a statement may wait for its locks; MariaDB, and MySQL for locks of
   *     rows, round it up to a second
   * @throws UnsupportedDatabaseException if this DBMS has no dialect of ours
   */
  public static Preparation preparation(Connection connection, String url, Duration lockTimeout)
      throws SQLException {
    DatabaseProbe probe = probe(connection, url);
    Dialect dialect =
        probe.dialect().orElseThrow(() -> new UnsupportedDatabaseException(notRead(probe)));
    SchemaReader reader = probe.reader(connection);
    return Preparation.on(
        connection,
        probe.database(),
        of(dialect).preparation(reader, probe.database()),
        lockTimeout);
  }

  private static String notRead(DatabaseProbe probe) {
    return probe.database().product().displayName()
        + " is not supported, or is set to a lexical mode that txwatch does not follow"
        + " (PostgreSQL, MySQL, MariaDB, H2 and SQLite are)";
  }

  /** Prepares the tables of a database at first sight: {@link TablePreparer.Factory}. */
  public static TablePreparer autoPreparation(
      Database database,
      SchemaReader reader,
      DedicatedConnection dedicated,
      boolean usesApplicationConnection,
      SchemaChangeGate gate,
      Consumer<String> notices) {
    return new AutoPreparation(
        of(reader.dialect()).preparation(reader, database),
        dedicated,
        usesApplicationConnection,
        gate,
        notices);
  }
}
