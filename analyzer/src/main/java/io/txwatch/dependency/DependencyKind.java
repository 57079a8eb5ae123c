package io.txwatch.dependency;

/** The kinds of direct dependency (Adya §3.1; IsoRel §2.3). */
public enum DependencyKind {
  /** The target wrote the version next to the one that the source wrote. */
  WW("ww"),
  /** The target read a version that the source wrote. */
  WR("wr"),
  /** The target wrote the version next to the one that the source read (anti-dependency). */
  RW("rw"),
  /** The target came after the source in the same session. */
  SO("so"),
  /** The target began after the source had ended, both observed by one node. */
  RT("rt"),
  /** The source waited for a lock that the target held. Only in deadlocks; in no graph. */
  WAITS("waits");

  private final String term;

  DependencyKind(String term) {
    this.term = term;
  }

  /** Whether it is an order, which counts only if requested, rather than a dependency. */
  public boolean isOrder() {
    return this == SO || this == RT;
  }

  /** The term, as reports print it. */
  public String term() {
    return term;
  }
}
