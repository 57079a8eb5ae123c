package io.txwatch.dependency;

/** Why a read is wrong by itself, whatever else happened. */
public enum WrongRead {
  /** Of what the writer rolled back, in whole or to a savepoint (G1a). */
  ABORTED,
  /** Of a version that the writer replaced itself (G1b). */
  INTERMEDIATE,
  /** By the writer, of an older version of the row than the one that it had written. */
  INTERNAL,
  /** Of a version that names a statement which the writer never came to. */
  GARBAGE
}
