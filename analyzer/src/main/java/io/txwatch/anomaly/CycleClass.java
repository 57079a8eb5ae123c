package io.txwatch.anomaly;

/** The class of a cycle by the kinds of its edges, worst first. */
public enum CycleClass {
  /** Only ww edges (Adya: dirty write). */
  G0("G0"),
  /** ww and at least one wr edge, no rw edge (Adya: circular information flow). */
  G1C("G1c"),
  /** Exactly one rw edge. */
  G_SINGLE("G-single"),
  /**
   * Two rw edges or more, no two of them next to each other (Elle, from Cerone and Gotsman's SI).
   */
  G_NONADJACENT("G-nonadjacent"),
  /** Two rw edges or more, two of them next to each other, all by item. */
  G2_ITEM("G2-item"),
  /** As G2-item, with at least one rw edge by predicate. */
  G2("G2");

  private final String term;

  CycleClass(String term) {
    this.term = term;
  }

  /** The field's term, as reports print it: {@code G-single}. */
  public String term() {
    return term;
  }
}
