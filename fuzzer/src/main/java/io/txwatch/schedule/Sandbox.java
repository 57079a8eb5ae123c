package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The tables of a case beside those that it is executed on, and a session that is alone with them:
 * for an oracle's own statements, one by one. The tables are kept from case to case.
 */
public final class Sandbox implements AutoCloseable {

  private final Workspace workspace;
  private final Connection session;
  private final SchemaFixture fixture;

  /** Done once to a table, after its definition. */
  @FunctionalInterface
  public interface TableAugmentation {
    /** Adds columns to the table. */
    void augment(Connection session, String table) throws SQLException;
  }

  /** One in a workspace of its own, which is dropped at the end. */
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

  /** Its session, which autocommits, and has to be left so. */
  public Connection session() {
    return session;
  }

  /** Sets the case up. What is done to the tables afterwards ends with the next case. */
  public void setUp(TestCase testCase) throws SQLException, SetupException {
    fixture.restore(testCase);
    fixture.invalidate();
  }

  /**
   * Defines the case's tables, each widened, for {@link #fill} to fill; those of a case before are
   * kept if they are the same. For one and the same widening only.
   *
   * @return false if the case defines more after it has begun to fill: it has to be set up whole
   */
  public boolean define(TestCase testCase, TableAugmentation augmentation)
      throws SQLException, SetupException {
    return fixture.define(testCase, augmentation);
  }

  /** Fills the defined tables as the case does, in the transaction that is open, if one is. */
  public void fill(TestCase testCase) throws SetupException {
    fixture.refill(testCase);
  }

  /** The statements that do so. */
  public List<String> fillStatements(TestCase testCase) {
    return fixture.refillStatements(testCase);
  }

  /**
   * The names of the case's tables, as statements spell them, those that refer to others after
   * those.
   */
  public List<String> tables(TestCase testCase) throws SQLException {
    return fixture.parentsFirst(testCase);
  }

  @Override
  public void close() throws SQLException {
    session.close();
    workspace.close();
  }
}
