package io.txwatch.jdbc.session;

import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.TransactionRules;
import io.txwatch.capture.WriterTexts;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.changes.ChangeReading;
import io.txwatch.jdbc.log.Faults;
import io.txwatch.jdbc.plan.CachedPlan;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The driver's connection behind a watched one, the session on it, and what its statements have
 * left behind for those that come. For one connection, so for one thread at a time.
 */
public final class ConnectionState {

  private final Connection real;
  private final WatchedSession session;
  private final EarlierStatements earlier;
  private final KnownRows knownRows = new KnownRows();

  public ConnectionState(Connection real, WatchedSession session) {
    this.real = real;
    this.session = session;
    this.earlier = new EarlierStatements(session);
  }

  /** The driver's connection. */
  public Connection real() {
    return real;
  }

  /** What it shares with others to the same database. */
  public WatchedDatabase database() {
    return session.database();
  }

  /** Which transaction it is in. */
  public SessionTracker tracker() {
    return session.tracker();
  }

  /** Which tables it sees. */
  public JdbcCatalog catalog() {
    return session.catalog();
  }

  /** What its DBMS records of changes, as far as that is read. */
  public ChangeReading changes() {
    return session.changes();
  }

  /** What can be added to its statements, and what its driver does. */
  public DialectSql sql() {
    return session.database().sql();
  }

  /** What the DBMS does to transactions. */
  public TransactionRules rules() {
    return session.database().rules();
  }

  /** Reads the writers of a version. */
  public WriterTexts writerTexts() {
    return session.database().writerTexts();
  }

  /** Opens another connection of the same kind, which is not watched. */
  public ConnectionSource source() {
    return session.source();
  }

  /** What its statements have left behind. */
  public EarlierStatements earlier() {
    return earlier;
  }

  /** The rows that its transaction has read by a key. */
  public KnownRows knownRows() {
    return knownRows;
  }

  /** A table is larger than a plan supposed: plans are made again. */
  public void outgrown(CachedPlan cached) {
    if (cached.usage().outgrow()) {
      session.catalog().invalidate();
    }
  }

  /** True if metadata of that table names columns of ours. */
  public boolean hasOurColumns(
      @Nullable String inCatalog, @Nullable String inSchema, @Nullable String table) {
    String schema = inSchema == null ? inCatalog : inSchema;
    try {
      return session
          .catalog()
          .hasOurColumns(schema == null ? "" : schema, table == null ? "" : table);
    } catch (RuntimeException e) {
      fault(e);
      return true;
    }
  }

  /** Executes something of ours; false if it failed. */
  public boolean execute(String sql) {
    try (Statement statement = real.createStatement()) {
      statement.execute(sql);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** Something was not observed: counted. */
  public void gap(GapReason reason, String detail) {
    try {
      session.tracker().gap(reason, detail);
    } catch (RuntimeException e) {
      fault(e);
    }
  }

  /**
   * Something of ours went wrong: counted, printed once, never the application's business. On a
   * connection that is lost or closed everything does, and the application has that error itself.
   */
  public void fault(Throwable fault) {
    if (Faults.isOfConnection(fault) || (fault instanceof SQLException && isClosed())) {
      return;
    }
    Faults.report(fault);
    try {
      session.tracker().gap(GapReason.FAULT, fault.getClass().getSimpleName());
    } catch (RuntimeException e) {
      Faults.report(e);
    }
  }

  private boolean isClosed() {
    try {
      return real.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }
}
