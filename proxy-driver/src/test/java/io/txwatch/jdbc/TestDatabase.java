package io.txwatch.jdbc;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.plan.Planner;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import javax.sql.XAConnection;

/** A fresh database, reached raw and watched; what was observed is in a list. */
public final class TestDatabase {

  public final ServerKind kind;
  public final String url;
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final Pipeline pipeline =
      new Pipeline(
          Ids.ofNode(1),
          new EventSink() {
            @Override
            public void accept(Event event) {
              events.add(event);
            }

            @Override
            public void close() {}
          });

  private TestDatabase(ServerKind kind, String url) {
    this.kind = kind;
    this.url = url;
  }

  /**
   * A database in which these statements were executed and every table was prepared, where tables
   * can be.
   */
  public static TestDatabase of(ServerKind kind, String... setup) throws SQLException {
    TestDatabase database = new TestDatabase(kind, TestServers.freshDatabase(kind));
    try (Connection raw = database.raw()) {
      execute(raw, setup);
      database.prepare(raw);
    }
    return database;
  }

  /**
   * A database of the caller's, in which these statements were executed and nothing is prepared.
   */
  public static TestDatabase at(ServerKind kind, String url, List<String> setup)
      throws SQLException {
    TestDatabase database = new TestDatabase(kind, url);
    try (Connection raw = database.raw()) {
      execute(raw, setup.toArray(String[]::new));
    }
    return database;
  }

  public void prepare(Connection raw) throws SQLException {
    Preparation preparation =
        Products.preparation(raw, url, Duration.ofSeconds(5)).includingDependent();
    if (!preparation.isPossible()) {
      return;
    }
    PreparationResult result = preparation.execute(preparation.planPrepare(List.of()));
    if (!result.complete()) {
      throw new SQLException("not prepared: " + result.failed());
    }
  }

  public static void execute(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  /** How many rows a statement says that it wrote. */
  static int updated(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  public Connection raw() throws SQLException {
    return DriverManager.getConnection(url);
  }

  public Connection watched() throws SQLException {
    return watched(raw());
  }

  public Connection watched(Connection raw) {
    return watched(raw, Settings.of(Map.of()));
  }

  /** With reads beside its statements. */
  Connection watched(UnaryOperator<Planner> planner) throws SQLException {
    return watched(planner, Map.of());
  }

  /** With reads beside its statements, and further settings. */
  Connection watched(UnaryOperator<Planner> planner, Map<Setting, String> settings)
      throws SQLException {
    return watched(raw(), planner, settings);
  }

  Connection watched(
      Connection raw, UnaryOperator<Planner> planner, Map<Setting, String> settings) {
    return Watch.connection(raw, url, "", this::raw, Settings.of(settings), pipeline, planner);
  }

  public Connection watched(Connection raw, Settings settings) {
    return Watch.connection(raw, url, "", this::raw, settings, pipeline);
  }

  /** With another way to open txwatch's own connection. */
  public Connection watched(ConnectionSource own) throws SQLException {
    return Watch.connection(raw(), url, "", own, Settings.of(Map.of()), pipeline);
  }

  /** As another user, who opens txwatch's own connection, too. */
  Connection watchedAt(String other) throws SQLException {
    return Watch.connection(
        DriverManager.getConnection(other),
        other,
        "",
        () -> DriverManager.getConnection(other),
        Settings.of(Map.of()),
        pipeline);
  }

  /** A connection that takes part in distributed transactions. */
  public XAConnection watched(XAConnection raw, Settings settings) {
    return (XAConnection) Watch.pooled(raw, "", this::raw, settings, pipeline);
  }

  public List<Event> events() {
    return events;
  }

  public <E extends Event> List<E> events(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  public List<Event.StatementExecuted> statements() {
    return events(Event.StatementExecuted.class);
  }
}
