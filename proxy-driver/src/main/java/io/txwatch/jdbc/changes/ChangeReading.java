package io.txwatch.jdbc.changes;

/** One watched connection's share in the reading of its server's record of changes. */
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

  /** The connection was closed. To be called once. */
  void close();
}
