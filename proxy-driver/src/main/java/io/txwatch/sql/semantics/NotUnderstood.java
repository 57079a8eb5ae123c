package io.txwatch.sql.semantics;

import io.txwatch.history.GapReason;

/** A statement of which nothing can be concluded, and why. Never leaves the package. */
public final class NotUnderstood extends Exception {

  private static final long serialVersionUID = 1L;

  private final GapReason reason;

  public NotUnderstood(String detail) {
    this(GapReason.NOT_UNDERSTOOD, detail);
  }

  public NotUnderstood(GapReason reason, String detail) {
    super(detail, null, false, false);
    this.reason = reason;
  }

  public GapReason reason() {
    return reason;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }
}
