package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A second set of a case's tables and the only session that uses it: an oracle executes its own
 * statements there, one by one. The tables are kept from case to case.
 */
public final class Sandbox implements AutoCloseable {

  private final Workspace workspace;
  private final Connection session;
  private final SchemaFixture fixture;

  /** Adds columns to a new table. */
  @FunctionalInterface
  public interface TableAugmentation {
    void augment(Connection session, String table) throws SQLException;
  }

  /** Creates a sandbox in a workspace of its own, which is dropped at the end. */
  public Sandbox(Dbms dbms) throws SQLException {
    workspace = dbms.newWorkspace();
    try {
      session = workspace.connect();
    } catch (SQLException e) {
      workspace.close();
      throw e;
    }
    fixture = new SchemaFixture(dbms, workspace, session);
  }

  /** The session, in autocommit mode; callers must leave it so. */
  public Connection session() {
    return session;
  }

  /** Sets up the case. Changes to the tables last until the next case. */
  public void setUp(TestCase testCase) throws SQLException, SetupException {
    fixture.restore(testCase);
    fixture.invalidate();
  }

  /**
   * Defines the case's tables and augments each of them, for {@link #fill} to fill. Tables with the
   * same definitions are reused, so all calls must pass the same augmentation.
   *
   * @return false if the case has definitions after its first INSERT: {@link #setUp} has to be used
   */
  public boolean define(TestCase testCase, TableAugmentation augmentation)
      throws SQLException, SetupException {
    return fixture.define(testCase, augmentation);
  }

  /** Fills the defined tables as the case does, in the current transaction if there is one. */
  public void fill(TestCase testCase) throws SetupException {
    fixture.refill(testCase);
  }

  /** The statements of {@link #fill}. */
  public List<String> fillStatements(TestCase testCase) {
    return fixture.refillStatements(testCase);
  }

  /** The names of the case's tables as statements spell them, parents before children. */
  public List<String> tables(TestCase testCase) throws SQLException {
    return fixture.parentsFirst(testCase);
  }

  @Override
  public void close() throws SQLException {
    session.close();
    workspace.close();
  }
}
