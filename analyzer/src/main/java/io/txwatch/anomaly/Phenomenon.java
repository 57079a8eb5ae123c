package io.txwatch.anomaly;

/** The named phenomena. Reports print the constant's name: {@code LOST_UPDATE}. */
public enum Phenomenon {
  /** Two transactions' writes are interleaved: a cycle of ww edges (Adya G0, Berenson P0). */
  DIRTY_WRITE("dirty write"),
  /** A read of a version whose writer aborted (Adya G1a). */
  ABORTED_READ("aborted read"),
  /** A read of a version that is not its writer's last (Adya G1b). */
  INTERMEDIATE_READ("intermediate read"),
  /** Two transactions each read or overwrote what the other wrote (Adya G1c). */
  CIRCULAR_INFORMATION_FLOW("circular information flow"),
  /** A transaction does not see its own write (Elle: internal). */
  INTERNAL("internal inconsistency"),
  /**
   * Two transactions read one version of a row and both wrote it (Berenson P4): rw and ww through
   * the same row.
   */
  LOST_UPDATE("lost update"),
  /** rw through one row, ww through another (IsoRel §2.4, after Li et al.). */
  READ_WRITE_SKEW("read-write skew"),
  /** rw through one row and, later in the reader, wr through another (Berenson A5A). */
  READ_SKEW("read skew"),
  /**
   * As read skew, but the newer version was read first or by the same statement: the writer's
   * effects were seen in part.
   */
  FRACTURED_READ("fractured read"),
  /** rw and wr through the same row: two reads of one row saw different versions (Berenson P2). */
  NON_REPEATABLE_READ("non-repeatable read"),
  /**
   * Two transactions each read what the other wrote, before it did (Berenson A5B): two rw edges
   * through different rows.
   */
  WRITE_SKEW("write skew"),
  /** Two readers saw two writers in opposite orders: two rw edges, not adjacent. */
  LONG_FORK("long fork"),
  /** A cycle of one rw edge and more than one other, of no special name (Adya G-single). */
  G_SINGLE("G-single"),
  /** A cycle with rw edges, no two adjacent, of no special name. */
  G_NONADJACENT("G-nonadjacent"),
  /** A cycle with two adjacent rw edges or more, of no special name (Adya G2-item). */
  G2_ITEM("G2-item");

  private final String term;

  Phenomenon(String term) {
    this.term = term;
  }

  /** The field's term, as people read it. */
  public String term() {
    return term;
  }
}
