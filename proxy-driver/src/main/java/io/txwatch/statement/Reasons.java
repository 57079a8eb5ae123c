package io.txwatch.statement;

import io.txwatch.history.GapReason;
import io.txwatch.sql.semantics.NotUnderstood;

/** What histories call the reasons why nothing is concluded of a statement. */
public final class Reasons {

  private Reasons() {}

  /** The reason why a statement is not understood. */
  public static GapReason of(NotUnderstood what) {
    return switch (what.reason()) {
      case GRAMMAR -> GapReason.NOT_UNDERSTOOD;
      case SHAPE -> GapReason.SHAPE;
    };
  }
}
