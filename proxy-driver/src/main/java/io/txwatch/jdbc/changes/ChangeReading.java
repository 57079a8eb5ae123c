package io.txwatch.jdbc.changes;

/** One watched connection's share in the reading of what its DBMS records of changes. */
public interface ChangeReading {

  /** The record of changes is not read. */
  ChangeReading NONE =
      new ChangeReading() {
        @Override
        public void ended(long nanos) {}

        @Override
        public void close() {}
      };

  /**
   * A transaction of the connection has ended, and is kept until the record was read through this
   * time.
   *
   * @param nanos by {@link System#nanoTime}
   */
  void ended(long nanos);

  /** The connection is about to send a statement. */
  default void sending() {}

  /** The connection is about to send several statements at once. */
  default void sendingBatch() {}

  /**
   * The connection has executed a statement that is no query and no DML. To be called before its
   * next one.
   */
  default void executed(String sql) {}

  /** The connection was closed. To be called once. */
  void close();
}
