package io.txwatch.dependency;

/**
 * A read of which only a bound is known: it returned the named version or a later one, or that one
 * or an earlier one.
 *
 * <p>A read that returned one of the versions i to j depends on the writer of i: what it returned
 * was written by that writer, or by one that overwrote it, which is a path of ww edges and a wr
 * edge. Likewise the writer of j + 1 follows the reader. So both edges stand for paths, and a cycle
 * through them has the same class.
 */
final class BoundedRead extends Version.Read {

  private final boolean atLeast;

  BoundedRead(Version version, Transaction reader, int statement, long columns, boolean atLeast) {
    super(version, reader, statement, EdgeEvidence.ITEM, columns, false);
    this.atLeast = atLeast;
  }

  @Override
  boolean followsWriter() {
    return atLeast;
  }

  @Override
  boolean precedesOverwriter() {
    return !atLeast;
  }

  @Override
  boolean isExact() {
    return false;
  }
}
