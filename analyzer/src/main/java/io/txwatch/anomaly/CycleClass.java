package io.txwatch.anomaly;

import io.txwatch.dependency.DependencyKind;
import java.util.function.IntFunction;

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

  /**
   * The class of a cycle whose rw edges are all by item.
   *
   * @param edges the number of its edges
   * @param kind the kind of each, in the order of the cycle; orders count as ww
   */
  public static CycleClass of(int edges, IntFunction<DependencyKind> kind) {
    int rw = 0;
    boolean wr = false;
    boolean adjacent = false;
    boolean afterRw = kind.apply(edges - 1) == DependencyKind.RW;
    for (int i = 0; i < edges; i++) {
      boolean isRw = kind.apply(i) == DependencyKind.RW;
      rw += isRw ? 1 : 0;
      wr |= kind.apply(i) == DependencyKind.WR;
      adjacent |= isRw && afterRw;
      afterRw = isRw;
    }
    if (rw == 0) {
      return wr ? G1C : G0;
    }
    return rw == 1 ? G_SINGLE : adjacent ? G2_ITEM : G_NONADJACENT;
  }

  /** The field's term, as reports print it: {@code G-single}. */
  public String term() {
    return term;
  }
}
