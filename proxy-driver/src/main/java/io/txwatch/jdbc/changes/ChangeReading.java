package io.txwatch.jdbc.changes;

import io.txwatch.history.StatedWrite;
import java.util.List;

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
   * All statements that were sent at once have been executed.
   *
   * @param counts the update count of each
   */
  default void sentBatch(long[] counts) {}

  /**
   * What a statement that was sent has written. To be called before the connection sends the next
   * one; for statements that were sent at once, in their order.
   *
   * @param stated what it states itself
   * @param count its update count; negative if that is not known
   * @param sql its text
   */
  default List<StatedWrite> written(List<StatedWrite> stated, long count, String sql) {
    return stated;
  }

  /**
   * The connection has executed a statement that is no query and no DML. To be called before its
   * next one.
   */
  default void executed(String sql) {}

  /** The connection was closed. To be called once. */
  void close();
}
