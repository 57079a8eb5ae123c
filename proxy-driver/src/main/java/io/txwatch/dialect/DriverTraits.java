package io.txwatch.dialect;

import java.sql.SQLException;
import java.util.Optional;

/** What the JDBC driver of a DBMS does in its own way, beyond what JDBC prescribes. */
public class DriverTraits {

  protected DriverTraits() {}

  /** True if the DBMS runs within the application's process. */
  public boolean isEmbedded() {
    return false;
  }

  /** True if {@code setCatalog} has no effect. */
  public boolean ignoresCatalog() {
    return false;
  }

  /** True if a batch with parameters is sent in bulk, which needs a first parameter. */
  public boolean sendsBatchesInBulk() {
    return false;
  }

  /** True if the driver's settings decide what becomes of several statements in one text. */
  public boolean splitsTexts() {
    return false;
  }

  /**
   * When the names of a statement are looked up.
   *
   * @param statement the simple name of its class
   */
  public NameBinding bindsNames(String statement) {
    return NameBinding.EXECUTION;
  }

  /**
   * True if the DBMS keeps what it compiled a prepared statement to, and compiles it again after a
   * change of any definition or setting.
   */
  public boolean compilesStatements() {
    return false;
  }

  /**
   * True if a prepared statement, once its metadata was read, returns its results in another format
   * than before, in which the text of a number is another one.
   */
  public boolean readsDescribedInBinary() {
    return false;
  }

  /** True if the driver has copied a parameter's value once it is set. */
  public boolean copiesWhenSet(Object value) {
    return true;
  }

  /** True if the driver has copied a parameter's value once its row is added to a batch. */
  public boolean copiesWhenAdded(Object value) {
    return false;
  }

  /**
   * True if reading a value of a row as another type changes what the application reads of it
   * afterwards.
   */
  public boolean convertsValuesInPlace() {
    return false;
  }

  /**
   * True if reading a column of a row may close the stream of a large value in another one, so that
   * the application cannot read that one any more (Oracle's LONG).
   */
  public boolean mayCloseStreams() {
    return false;
  }

  /**
   * True if the DBMS may read a row, and wait for its lock, only when the application moves to it,
   * after the statement has returned (Derby).
   */
  public boolean mayReadRowsLater() {
    return false;
  }

  /**
   * True if {@code isLast} of a result that is not scrollable reads nothing from the DBMS, and
   * changes nothing.
   */
  public boolean showsLastRow() {
    return false;
  }

  /**
   * True if the driver may ask the DBMS for what the metadata of a result states of its columns.
   */
  public boolean asksForColumns() {
    return false;
  }

  /** True if the parameters that are set are forgotten with the items of a batch. */
  public boolean clearsParametersWithBatch() {
    return false;
  }

  /** True if the query timeout of a statement is that of all statements of its connection. */
  public boolean sharesQueryTimeout() {
    return false;
  }

  /**
   * An error of this driver's as it is to be shown, if the driver makes its errors in its own way;
   * itself if the change makes no difference. Empty for any other error.
   *
   * @throws ReflectiveOperationException if the driver's classes are others than those known
   */
  public Optional<SQLException> shown(SQLException error, ErrorChange change)
      throws ReflectiveOperationException {
    return Optional.empty();
  }

  /**
   * The calls that lead from a connection to the number that the DBMS gave it when it was opened,
   * without a query. Without the number a connection cannot be recognized among those that wait:
   * operations are not interleaved.
   */
  public CallChain connectionNumber() {
    return CallChain.NONE;
  }

  /** When the level of a session can be queried without an effect that the application notices. */
  public LevelQuery queriesLevel() {
    return LevelQuery.NEVER;
  }

  /** True if a write with RETURNING may give no result, not even an empty one. */
  public boolean mayReturnNoResult() {
    return false;
  }
}
