package io.txwatch.dependency;

/**
 * The memory that the analysis uses: increased when an object is stored, decreased when that object
 * is released, so it never drifts. The weights are the object sizes on a 64-bit JVM with compressed
 * references, including their places in lists and tables at the lowest usual load.
 */
final class Footprint {

  /** A transaction with its empty lists, its place in the table and in the queues. */
  static final int TRANSACTION = 560;

  /** A statement of a transaction, without its texts. */
  static final int STATEMENT = 56;

  /** The values of a key's column that a statement shows, twice: as it came, and as bounds. */
  static final int KEY_VALUES = 256;

  /** A version of a row, with its places in the table, in its writer's list and in a queue. */
  static final int VERSION = 216;

  /** A row, with the version before the first write. */
  static final int ROW = 230;

  /** An id that a DBMS gave to a transaction, with its place in the table. */
  static final int ID_BY_DBMS = 48;

  static final int READ = 64;
  static final int TARGET = 56;
  static final int INTERNAL_READ = 40;
  static final int UNDONE = 40;

  /** The numbers of statements in a set, up to 64. */
  static final int BIT_SET = 64;

  /** A transaction's predicate link to another, which may be all that retains that one. */
  static final int LINK = 220;

  static final int WAITING = 64;
  static final int LINKS = 600;
  static final int PREDICATE_READ = 360;

  /** A row in a predicate read. */
  static final int PREDICATE_ROW = 72;

  static final int TABLE = 1200;

  private static final int TEXT = 48;

  private long bytes;

  void add(long more) {
    bytes += more;
  }

  void release(long fewer) {
    bytes -= fewer;
  }

  long bytes() {
    return bytes;
  }

  /** A text that is not shared. */
  static long ofText(String text) {
    return TEXT + 2L * text.length();
  }
}
