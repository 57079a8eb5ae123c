package io.txwatch.format;

/** One operation of a Jepsen history, as its line has it. Filled anew for each line. */
final class ElleOp {

  /** What a line says of a transaction (jepsen.history, "Ops"). */
  enum Type {
    /** It is about to be run: its reads are not known yet. */
    INVOKE,
    /** It committed. */
    OK,
    /** It did not take place. */
    FAIL,
    /** Nobody knows. */
    INFO
  }

  /** The place of the line in the file, in bytes. */
  long offset;

  Type type = Type.INFO;
  boolean hasType;

  /** Which process runs it: a process does one thing at a time. */
  long process;

  /** False for the nemesis and other processes that are no clients. */
  boolean client;

  /** The index that the file gives it; -1 if none. */
  long index;

  /** False if it had no value that is a list of reads and writes. */
  boolean hasMicroOps;

  final MicroOps micro = new MicroOps();

  void clear(long at) {
    offset = at;
    hasType = false;
    process = -1;
    client = true;
    index = -1;
    hasMicroOps = false;
    micro.clear();
  }
}
