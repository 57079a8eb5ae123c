package io.txwatch.anomaly;

import io.txwatch.history.IsolationLevel;

/** Adya's portable isolation levels (thesis, 1999, chapter 4), weakest first, and none of them. */
public enum AdyaLevel {
  /** Proscribes G0. */
  PL_1("PL-1"),
  /** Proscribes G1: aborted reads, intermediate reads, circular information flow. */
  PL_2("PL-2"),
  /** Proscribes G1 and G2-item. */
  PL_2_99("PL-2.99"),
  /** Proscribes G1 and G2: conflict serializability. */
  PL_3("PL-3"),
  /** As PL-3, in an order that agrees with real time: strict serializability (section 4.3). */
  PL_SS("PL-SS"),
  /** No level: what it stands for has a serial order, and that of real time agrees with it. */
  NONE("none");

  private final String term;

  AdyaLevel(String term) {
    this.term = term;
  }

  /** The term, as reports print it. */
  public String term() {
    return term;
  }

  /**
   * The level that corresponds to an SQL level. Snapshot isolation is not among Adya's four levels
   * and must meet PL-2; the profile of the DBMS defines what it promises beyond.
   */
  public static AdyaLevel of(IsolationLevel level) {
    return switch (level) {
      case UNKNOWN -> throw new IllegalArgumentException("an unknown level corresponds to none");
      case READ_UNCOMMITTED -> PL_1;
      case READ_COMMITTED, SNAPSHOT -> PL_2;
      case REPEATABLE_READ -> PL_2_99;
      case SERIALIZABLE -> PL_3;
    };
  }
}
