package io.txwatch.schedule;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.UnsupportedDatabaseException;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.jdbc.Watch;
import io.txwatch.prepare.Preparation;
import io.txwatch.product.registry.Products;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.testcase.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An application whose connections are watched in this process at level {@code predicates}: each
 * execution has the events of what its statements read and wrote (IsoRel, sections 3.1 and 3.2,
 * with this project's columns and reads). It has none if the driver has no dialect for the DBMS.
 *
 * <p>For the sessions of one executor.
 */
public final class WatchedApplication implements ScheduleExecutor.Application {

  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);

  private final boolean fillsHiddenColumns;
  private final Settings settings =
      Settings.read(List.of()).with(Setting.INSTRUMENT, "predicates").with(Setting.REDACT, "false");

  private final Ids ids = Ids.random();

  /** Separates the driver's cached table metadata from that of other applications. */
  private final String catalogKey = "watched " + Ids.display(ids.next());

  private final List<Connection> connections = new ArrayList<>();
  private final Log log = new Log();
  private @Nullable Connection preparing;
  private @Nullable Preparation preparation;

  /**
   * Creates an application.
   *
   * @param fillsHiddenColumns {@link Dbms#fillsHiddenColumns}
   */
  public WatchedApplication(boolean fillsHiddenColumns) {
    this.fillsHiddenColumns = fillsHiddenColumns;
  }

  /** Rows that are inserted without an id would not be seen. */
  @Override
  public boolean canRefill(List<String> setup) {
    return fillsHiddenColumns || setup.stream().noneMatch(sql -> SqlText.of(sql).lacksColumns());
  }

  /**
   * Adds the auxiliary columns to the case's tables if they are new; on PostgreSQL the versions are
   * in its system columns.
   */
  @Override
  public void prepare(Workspace workspace, boolean isNew) throws SQLException {
    log.take();
    if (!isNew) {
      return;
    }
    Optional<Preparation> known = preparation(workspace);
    if (known.isPresent()) {
      known.get().execute(known.get().planPrepare(List.of()));
    }
    connections.removeIf(WatchedApplication::isClosed);
    connections.forEach(Watch::tablesChanged);
  }

  private Optional<Preparation> preparation(Workspace workspace) throws SQLException {
    if (preparing == null) {
      Connection connection = workspace.connect();
      preparing = connection;
      try {
        Preparation found =
            Products.preparation(connection, connection.getMetaData().getURL(), LOCK_TIMEOUT);
        preparation = found.isPossible() ? found : null;
      } catch (UnsupportedDatabaseException e) {
        preparation = null; // nothing can be watched
      }
    }
    return Optional.ofNullable(preparation);
  }

  private static boolean isClosed(Connection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  @Override
  public Connection connect(Workspace workspace, String session) throws SQLException {
    Connection real = workspace.connect();
    Connection watched =
        Watch.connection(
            real,
            real.getMetaData().getURL(),
            catalogKey,
            workspace::connect,
            settings,
            new Pipeline(ids, log.of(session)));
    connections.add(watched);
    return watched;
  }

  @Override
  public List<Event> observed() {
    return log.take();
  }

  /** Closes its own connection; the sessions close theirs. */
  @Override
  public void close() throws SQLException {
    Connection own = preparing;
    if (own != null) {
      own.close();
    }
  }

  /** The events of a case, in the order of arrival. */
  private static final class Log {

    private final List<Event> events = new ArrayList<>();

    /** The first event of each session, which may belong to an earlier case. */
    private final Map<Long, Event.SessionOpened> opened = new LinkedHashMap<>();

    /** The sink for the events of the case's session of this name. */
    EventSink of(String session) {
      return new EventSink() {
        @Override
        public void accept(Event event) {
          add(session, event);
        }

        @Override
        public void close() {}
      };
    }

    private synchronized void add(String session, Event event) {
      if (event instanceof Event.SessionOpened o) {
        opened.put(o.session(), new Event.SessionOpened(o.session(), session, o.database()));
      } else if (event instanceof Event.SessionClosed) {
        opened.remove(event.session());
      } else {
        events.add(event);
      }
    }

    synchronized List<Event> take() {
      List<Event> taken = new ArrayList<>(opened.values());
      taken.addAll(events);
      events.clear();
      return taken;
    }
  }
}
