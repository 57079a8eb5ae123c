package io.txwatch.version;

/**
 * Which versions of a row a read may have returned: a function of the versions' commits, whether
 * their values are those read, and the time of the read.
 */
final class Candidates {

  /** The most versions of a row that are compared. */
  static final int MAX_VERSIONS = Long.SIZE;

  private Candidates() {}

  /**
   * The versions that may have been read, as bits.
   *
   * @param commits the commits of the writers, in the order in which the versions were made
   * @param agrees the versions, as bits, that others could see and whose values are those read
   * @param read when the read was executed, or the read that took its snapshot
   */
  static long of(Window[] commits, int versions, long agrees, Window read) {
    long found = 0;
    long replacedBy = Long.MAX_VALUE; // by then a later version had certainly been committed
    for (int i = versions - 1; i >= 0 && replacedBy >= read.sent(); i--) {
      if ((agrees & 1L << i) != 0) {
        found |= 1L << i;
      }
      replacedBy = Math.min(replacedBy, commits[i].returned());
    }
    for (int i = 0; i < versions; i++) {
      if (commits[i].sent() > read.returned()) { // neither this version nor any later one
        return i == 0 ? 0 : found & -1L >>> Long.SIZE - i;
      }
    }
    return found;
  }

  /** Whether the bits are neighbors. */
  static boolean areNeighbors(long bits) {
    long run = bits >>> Long.numberOfTrailingZeros(bits);
    return (run & run + 1) == 0;
  }
}
