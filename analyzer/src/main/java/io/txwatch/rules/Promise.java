package io.txwatch.rules;

/**
 * What a DBMS promises at a level.
 *
 * @param kind what
 * @param source where its documentation states this; empty if nothing is promised
 */
public record Promise(Kind kind, String source) {

  /** No promise is known. */
  public static final Promise NONE = new Promise(Kind.NONE, "");

  /** The promises, as documentations make them. */
  public enum Kind {
    /** No promise is known. */
    NONE,
    /** Own writes are visible and writes are not interleaved; nothing else. */
    DIRTY,
    /** Only committed data is read, as of each read. */
    COMMITTED,
    /** Only committed data is read, and each plain SELECT reads from a snapshot of its own. */
    COMMITTED_BY_STATEMENT,
    /** Plain SELECTs of one row return one version; no promise covers several rows, or writes. */
    REPEATABLE,
    /** Plain SELECTs read from one snapshot; writes and locking reads use the newest versions. */
    CONSISTENT_READS,
    /** Reads from one snapshot; no promise covers concurrent writers. */
    SNAPSHOT_READS,
    /** Snapshot isolation: one snapshot, and the first writer of a row wins. */
    SNAPSHOT,
    /** Serializability: nothing that a serial execution could not produce. */
    SERIALIZABLE;

    /** This promise, as a document states it. */
    public Promise by(String source) {
      return new Promise(this, source);
    }
  }
}
