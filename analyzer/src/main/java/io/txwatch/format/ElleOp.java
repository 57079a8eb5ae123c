package io.txwatch.format;

import org.jspecify.annotations.Nullable;

/** An operation of a Jepsen history, as in its line. Reused for each line. */
final class ElleOp {

  /** The type of an operation (jepsen.history, "Ops"). */
  enum Type {
    /** Invoked: its reads are not known yet. */
    INVOKE,
    /** It committed. */
    OK,
    /** Failed: it had no effect. */
    FAIL,
    /** Its outcome is unknown. */
    INFO
  }

  /** The byte offset of the line in the file. */
  long offset;

  Type type = Type.INFO;
  boolean hasType;

  /** The process that runs it, one operation at a time. */
  long process;

  /** False for the nemesis and other non-client processes. */
  boolean client;

  /** Its index in the file; -1 if none. */
  long index;

  /** False if its value is not a list of reads and writes. */
  boolean hasMicroOps;

  /** Why its value is not a transaction of the expected kind; null if it is, or if it is nil. */
  @Nullable String problem;

  long problemOffset;

  /** Whether its value is a keyword or a text, as of an error: {@code :timed-out}. */
  boolean valueIsRemark;

  /** The offset of a read without a result; -1 if there is none. */
  long readWithoutResult;

  final MicroOps micro = new MicroOps();

  void clear(long at) {
    offset = at;
    hasType = false;
    process = -1;
    client = true;
    index = -1;
    hasMicroOps = false;
    problem = null;
    problemOffset = at;
    valueIsRemark = false;
    readWithoutResult = -1;
    micro.clear();
  }
}
