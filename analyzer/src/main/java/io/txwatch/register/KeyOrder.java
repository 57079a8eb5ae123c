package io.txwatch.register;

/**
 * What may be assumed of each register by itself, as by the options of Elle's {@code rw-register}
 * checker of the same names. Each assumption orders versions that nothing else orders.
 */
public enum KeyOrder {
  /**
   * {@code linearizable-keys?}: a transaction that began after another ended saw no older version.
   */
  LINEARIZABLE,
  /** {@code sequential-keys?}: a process sees no older version than it saw before. */
  SEQUENTIAL,
  /**
   * {@code wfr-keys?}: a transaction that read a version and wrote the register wrote a later one.
   * Every level that is checked here implies it, since the writer of the one precedes the other.
   */
  WRITES_FOLLOW_READS
}
