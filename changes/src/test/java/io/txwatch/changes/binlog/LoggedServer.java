package io.txwatch.changes.binlog;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Real servers with a binary log, and a listener that collects what it is given. */
final class LoggedServer {

  private static final Map<ServerKind, DatabaseServer> SERVERS = new EnumMap<>(ServerKind.class);
  private static int databases;

  private LoggedServer() {}

  static Stream<ServerKind> kinds() {
    return Stream.of(ServerKind.MYSQL, ServerKind.MARIADB)
        .filter(kind -> TestServers.missing(kind).isEmpty());
  }

  /** One a JVM, started on first use. */
  static synchronized DatabaseServer of(ServerKind kind) {
    return SERVERS.computeIfAbsent(kind, LoggedServer::start);
  }

  static DatabaseServer start(ServerKind kind) {
    return kind == ServerKind.MYSQL
        ? MySqlServer.start()
        : MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
  }

  /** A new database, its changes from now on, and connections to it. */
  static final class Session implements AutoCloseable {

    final String url;
    final Collector collected = new Collector();
    final BinaryLogSource source;

    private final UnaryOperator<Connection> opened;

    Session(DatabaseServer server, String... setup) throws Exception {
      this(server, UnaryOperator.identity(), setup);
    }

    /** The source uses its connections as they are opened here. */
    Session(DatabaseServer server, UnaryOperator<Connection> opened, String... setup)
        throws Exception {
      this.opened = opened;
      url = server.newDatabase("changes_" + ProcessHandle.current().pid() + "_" + next());
      execute(setup);
      source = source(server.user());
      source.start(collected);
    }

    private static synchronized int next() {
      return databases++;
    }

    BinaryLogSource source(String user) {
      URI uri = URI.create(url.substring("jdbc:".length()));
      ServerAddress address =
          new ServerAddress(uri.getHost(), uri.getPort(), user, "", ServerAddress.Tls.DISABLED);
      return new BinaryLogSource(address, () -> opened.apply(connect()));
    }

    Connection connect() throws SQLException {
      return DriverManager.getConnection(url);
    }

    void execute(String... statements) throws SQLException {
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        for (String sql : statements) {
          statement.execute(sql);
        }
      }
    }

    /** Waits until the log has passed all that was done. */
    Collector await() throws Exception {
      LogPosition end = source.endOfLog();
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(5))
          .until(() -> source.position().compareTo(end) >= 0);
      return collected;
    }

    @Override
    public void close() {
      source.close();
    }
  }

  /** Everything that a listener is told. */
  static final class Collector implements ChangeListener {

    final List<ChangedTransaction> transactions = new CopyOnWriteArrayList<>();
    final List<ChangeGap> gaps = new CopyOnWriteArrayList<>();
    final List<SchemaChange> schemaChanges = new CopyOnWriteArrayList<>();

    @Override
    public void transaction(ChangedTransaction transaction) {
      transactions.add(transaction);
    }

    @Override
    public void gap(ChangeGap gap) {
      gaps.add(gap);
    }

    @Override
    public void schemaChange(SchemaChange change) {
      schemaChanges.add(change);
    }

    List<ChangedRow> rows() {
      return transactions.stream().flatMap(each -> each.changes().stream()).toList();
    }

    /** One line a transaction: {@code 0 UPDATE t [1, 5] [1, 6]}, with the statement's ordinal. */
    List<String> lines() {
      return transactions.stream()
          .map(each -> String.join("; ", each.changes().stream().map(Collector::line).toList()))
          .toList();
    }

    private static String line(ChangedRow row) {
      return row.statement()
          + " "
          + row.kind()
          + " "
          + row.table().name()
          + (row.before() == null ? "" : " " + Arrays.toString(row.before()))
          + (row.after() == null ? "" : " " + Arrays.toString(row.after()));
    }
  }
}
