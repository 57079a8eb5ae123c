package io.txwatch.dependency;

/** Why a read is wrong, whatever else happened. */
public enum WrongRead {
  /** Of a version that the writer rolled back, entirely or to a savepoint (G1a). */
  ABORTED,
  /** Of a version that the writer replaced itself (G1b). */
  INTERMEDIATE,
  /** By the writer, of an older version of the row than its own last write. */
  INTERNAL,
  /** Of a version with a statement number that the writer never reached. */
  GARBAGE
}
