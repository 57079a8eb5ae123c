package io.txwatch.bench.overhead;

import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Creates the databases of a benchmark: fresh, filled, and prepared for watched variants. */
public final class Databases {

  /** A setting of every server: the application's connections, and those that watch. */
  private static final String MAX_CONNECTIONS = "max_connections=300";

  private Databases() {}

  /**
   * The URL of a fresh database with a workload's tables, prepared if the variant is watched.
   *
   * @param analyzed true if statistics of the tables are collected
   */
  static String create(
      ServerKind kind, Workload workload, Variant variant, long seed, boolean analyzed)
      throws SQLException {
    startServer(kind);
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      workload.create(connection, seed);
    }
    if (variant.isPrepared()) {
      prepare(url);
    }
    if (analyzed) {
      try (Connection connection = DriverManager.getConnection(url)) {
        analyze(connection, kind);
      }
    }
    return url;
  }

  /** The URL of a fresh database for each variant, in their order. */
  static List<String> createEach(
      ServerKind kind, WorkloadKind workload, List<Variant> variants, long seed, boolean analyzed)
      throws SQLException {
    List<String> urls = new ArrayList<>();
    for (Variant variant : variants) {
      urls.add(create(kind, workload.create(), variant, seed, analyzed));
    }
    return urls;
  }

  /** Adds the auxiliary columns to all tables, where tables can have them. */
  public static void prepare(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      Preparation preparation = Products.preparation(connection, url, Duration.ofSeconds(10));
      if (!preparation.isPossible()) {
        return;
      }
      PreparationResult result = preparation.execute(preparation.planPrepare(List.of()));
      if (!result.complete()) {
        throw new SQLException("not every table could be prepared: " + result.failed());
      }
    }
  }

  /**
   * The test servers have little memory. The databases of all variants together must fit in memory;
   * otherwise the benchmark measures the disk, and the variant with the largest rows slows down all
   * others. MySQL and MariaDB write the binary log, which a variant reads. A server that the user
   * names is not changed.
   */
  public static void startServer(ServerKind kind) throws SQLException {
    switch (kind) {
      case POSTGRESQL ->
          TestServers.startBy(
              kind,
              () ->
                  PostgresServer.start(
                      List.of("shared_buffers=1GB", "max_wal_size=4GB", MAX_CONNECTIONS)));
      case MARIADB ->
          TestServers.startBy(
              kind,
              () ->
                  MariaDbServer.start(
                      "--" + MAX_CONNECTIONS,
                      "--innodb-buffer-pool-size=1G",
                      "--innodb-log-file-size=256M",
                      "--server-id=1",
                      "--log-bin=binlog",
                      "--binlog-format=ROW"));
      case MYSQL ->
          TestServers.startBy(
              kind,
              () ->
                  MySqlServer.start(
                      "--" + MAX_CONNECTIONS,
                      "--innodb-buffer-pool-size=1G",
                      "--innodb-redo-log-capacity=1G",
                      "--innodb-flush-log-at-trx-commit=0",
                      "--innodb-doublewrite=OFF"));
      default -> {}
    }
  }

  /** Collects statistics and removes dead rows, as in a database of some age. */
  private static void analyze(Connection connection, ServerKind kind) throws SQLException {
    if (kind == ServerKind.POSTGRESQL) {
      try (var statement = connection.createStatement()) {
        statement.execute("VACUUM ANALYZE");
      }
    }
  }
}
