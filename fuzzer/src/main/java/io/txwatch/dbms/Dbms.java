package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RecordedValue;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A DBMS under test. */
public interface Dbms extends DbmsBehaviour {

  /** Product, version, and the settings that change its guarantees. */
  Database database();

  /** The isolation levels that it distinguishes and that campaigns use, weakest first. */
  List<IsolationLevel> levels();

  /**
   * Levels that it distinguishes, too, of which too little is documented for most oracles: they are
   * used if they are named.
   */
  default List<IsolationLevel> levelsOnRequest() {
    return List.of();
  }

  /** The parts of SQL that servers of this product have but this one, by its age, has not. */
  default Set<SqlFeature> missingFeatures() {
    return Set.of();
  }

  /**
   * True if a MERGE inserts a row because its snapshot does not show one that is committed: no
   * order of statements then need explain what it does.
   */
  default boolean mergesBySnapshot() {
    return false;
  }

  /** Replaces {@code {ENGINE}} and the other placeholders with the SQL of this DBMS. */
  String renderSql(String sql);

  /**
   * Writes a value as a literal.
   *
   * @throws IllegalArgumentException if the value is not known
   */
  default String literal(RecordedValue value) {
    return SqlLiterals.of(value);
  }

  /**
   * The statements that define a table in a workspace as it is defined elsewhere.
   *
   * @param source a connection whose schema has the table
   * @param table its name, as the catalog has it
   * @throws SQLException if it cannot be read, or has what is not copied, such as a trigger
   */
  default List<String> definition(Connection source, String table) throws SQLException {
    throw new SQLFeatureNotSupportedException(
        "definitions of tables are not read on " + describe(), "0A000");
  }

  /**
   * The statement that defines a sequence in a workspace as it is elsewhere: it goes on with the
   * number that is the next one there.
   *
   * @param source a connection whose schema has the sequence; no number is taken from it
   * @param name its name, as a statement spells it
   * @throws SQLException if it cannot be read
   */
  default String sequenceDefinition(Connection source, String name) throws SQLException {
    throw new SQLFeatureNotSupportedException(
        "sequences are not copied on " + describe() + ": " + name, "0A000");
  }

  /** Sets the level of the session's transactions to come. */
  default void setLevel(Connection session, IsolationLevel level) throws SQLException {
    session.setTransactionIsolation(
        switch (level) {
          case UNKNOWN -> throw new IllegalArgumentException("no level is set");
          case READ_UNCOMMITTED -> Connection.TRANSACTION_READ_UNCOMMITTED;
          case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
          case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
          case SNAPSHOT -> throw new SQLException("no level SNAPSHOT here", "0A000");
          case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
        });
  }

  /**
   * The statement that does the same, if it may precede another one in the same round trip; empty
   * if it may not.
   */
  default Optional<String> levelStatement(IsolationLevel level) {
    return Optional.empty();
  }

  /**
   * The statement that gives the later transactions of a plain client's session a level; empty if
   * the DBMS has none.
   */
  default Optional<String> clientLevelStatement(IsolationLevel level) {
    return Optional.empty();
  }

  /** The statement of the SQL standard that does so. */
  static String standardLevelStatement(IsolationLevel level) {
    return "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL "
        + level.name().replace('_', ' ');
  }

  /**
   * The statement that gives a setting of the session a value, or the server's.
   *
   * @param value empty for the server's
   * @return empty if sessions of this DBMS have no settings that cases change
   */
  default Optional<String> settingStatement(String name, Optional<String> value) {
    return Optional.empty();
  }

  /**
   * The statement that releases all locks that a session has until it unlocks them; empty if the
   * DBMS has no such locks.
   */
  default Optional<String> releaseLocksStatement() {
    return Optional.empty();
  }

  /** Makes the tables of a new case visible to a session that served another one. */
  default void refreshSchema(Connection session) throws SQLException {}

  /**
   * Prepares a session for a statement that may block.
   *
   * @param othersBlocked true if other sessions are blocked: this one may then close a cycle, and
   *     has to check for a deadlock soon, before any other session does
   */
  default void prepareToBlock(Connection session, boolean othersBlocked) throws SQLException {}

  /** True if timing decides which of three deadlocked sessions is aborted. */
  default boolean isDeadlockVictimTimingDependent() {
    return false;
  }

  /** True if plain queries wait for locks at that level. */
  default boolean plainReadsLock(IsolationLevel level) {
    return true;
  }

  /**
   * True if a statement may busy-wait in the calling thread for another transaction, while the DBMS
   * does not report it as blocked.
   */
  default boolean mayBusyWait() {
    return false;
  }

  /**
   * True if a blocked statement blocks the calling thread in this process. A session whose thread
   * runs has then been released, whatever the DBMS still reports.
   */
  default boolean blocksCallingThread() {
    return false;
  }

  /**
   * True if a rollback to a savepoint does not always wake the sessions that it releases, which
   * then wait until the transaction ends.
   */
  default boolean mayMissSavepointWakeup() {
    return false;
  }

  /**
   * True if a released lock is free for any session: a session that waited for it may find it
   * taken, and wait again. Otherwise the lock is handed to the session that has waited longest.
   */
  default boolean hasUnfairLocks() {
    return false;
  }

  /** False if only the connection's methods begin and end transactions. */
  default boolean hasTransactionStatements() {
    return true;
  }

  /** What happens to several statements that are sent as one text, separated by semicolons. */
  enum MultiStatement {
    /** They cannot be sent together. */
    UNSUPPORTED,
    /** Each is executed as if sent singly; those after a failed one are not executed. */
    ONE_BY_ONE,
    /**
     * The same, but outside of an explicit transaction they form one transaction: a failed
     * statement rolls back those before it.
     */
    IN_ONE_TRANSACTION
  }

  /**
   * True if other sessions cannot notice BEGIN, so it may share a round trip with its session's
   * next statement.
   */
  default boolean canPiggybackBegin() {
    return false;
  }

  /**
   * True if a foreign key's action that has waited may corrupt the index of the child table: the
   * tables must then not be reused for another case.
   */
  default boolean cascadesMayCorruptIndexes() {
    return false;
  }

  /**
   * True if the server may hang when a table that foreign keys refer to is defined again while
   * transactions use it.
   */
  default boolean definitionsMayHang() {
    return false;
  }

  /** True if the server rejects tables without a primary key. */
  default boolean requiresPrimaryKeys() {
    return false;
  }

  /** Whether sessions accept several statements in one round trip. */
  default MultiStatement multiStatement() {
    return MultiStatement.UNSUPPORTED;
  }

  /**
   * Equivalent statements, possibly fewer: each one costs a response, even if it is sent with
   * others, and the response costs as much as a small statement.
   */
  default List<String> bundle(List<String> statements) {
    return statements;
  }

  /** Classifies a statement's error. */
  Failure failure(SQLException error);

  /**
   * True if a connection was refused because of the connection limit of the DBMS or of the user.
   */
  default boolean isOutOfConnections(SQLException error) {
    return false;
  }

  /** The log of row images that it writes; empty if it has none that can be read. */
  default Optional<ChangeLog> changeLog() {
    return Optional.empty();
  }

  /** Creates a workspace. */
  Workspace newWorkspace() throws SQLException;

  /** The most workspaces that may be used at a time. */
  default int maxWorkers() {
    return Integer.MAX_VALUE;
  }

  /** Name and version as in reports: {@code PostgreSQL 18.6}. */
  default String describe() {
    return database().product().name() + " " + database().product().version();
  }
}
