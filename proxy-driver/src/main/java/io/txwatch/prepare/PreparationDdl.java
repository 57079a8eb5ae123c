package io.txwatch.prepare;

import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The statements by which one DBMS gets and loses the auxiliary columns, and what stands in their
 * way. It holds no connection; it runs on the connection that is passed in.
 */
public abstract class PreparationDdl {

  private final SchemaReader reader;

  protected PreparationDdl(SchemaReader reader) {
    this.reader = reader;
  }

  public final SchemaReader reader() {
    return reader;
  }

  public final String qualified(TableInfo table) {
    return reader.qualified(table);
  }

  /** Why no table of this DBMS is prepared, after its name; empty if tables are. */
  public Optional<String> refusal() {
    return Optional.empty();
  }

  /** Why this table, which is not prepared, must be left alone; empty if it can be prepared. */
  public abstract Optional<String> obstacle(Connection connection, TableInfo table)
      throws SQLException;

  /**
   * What handles rows of the table as a whole, and would see the columns: the application's own
   * functions, triggers and the like, by name.
   */
  public List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    return List.of();
  }

  /** What somebody must do, once this table is prepared, so that all users can work as before. */
  public List<String> warnings(Connection connection, TableInfo table) throws SQLException {
    return List.of();
  }

  /** The steps that prepare it, or complete a preparation that was interrupted. */
  public abstract List<PreparationStep> prepare(Connection connection, TableInfo table)
      throws SQLException;

  /** The steps that take away what {@link #prepare} added to it, complete or not. */
  public abstract List<PreparationStep> unprepare(Connection connection, TableInfo table)
      throws SQLException;

  /** About how many rows a table has, as the DBMS estimates it. */
  public abstract long rows(Connection connection, TableInfo table) throws SQLException;

  /** About how many rows are rewritten in a second, on a small machine. */
  public abstract int rowsPerSecond(PreparationStep.Work work);

  /** About how many seconds steps take once they have their locks. */
  public final long seconds(List<PreparationStep> steps, long rows) {
    long seconds = 1;
    for (PreparationStep step : steps) {
      if (step.work() != PreparationStep.Work.INSTANT) {
        seconds += rows / rowsPerSecond(step.work());
      }
    }
    return seconds;
  }

  /** Carries out one of the steps. */
  public void apply(Connection connection, TableInfo table, PreparationStep step, RetryPolicy pace)
      throws SQLException {
    CatalogQueries.run(connection, List.of(step.sql()));
  }

  /** The statements that remove what is left in a schema without a prepared table. */
  public List<String> cleanUp(Connection connection, String schema) throws SQLException {
    return List.of();
  }

  /** The statement that takes the statistics of a table that the optimizer goes by. */
  public abstract String analyze(TableInfo table);

  /** True if DDL is part of transactions, so that a table's statements are run in one. */
  public abstract boolean ddlIsTransactional();

  /** The statements after which this session waits for no lock of a table, where there are any. */
  public List<String> waitForNoLock() {
    return List.of();
  }

  /**
   * True if another session, watched or not, is known to hold a snapshot, or a lock on the table,
   * that a change of the table would break or wait for. What this user may not see is not known.
   */
  public boolean isInUse(Connection connection, TableInfo table) throws SQLException {
    return false;
  }

  /** What such steps do to a live service, for people. */
  public abstract String lockNote(List<PreparationStep> steps);

  /** True if a table is prepared only while no transaction is open. */
  public boolean waitsForTransactions() {
    return false;
  }
}
