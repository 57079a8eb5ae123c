package io.txwatch.sql;

import io.txwatch.history.GapReason;

/** A statement of which nothing can be concluded, and why. Never leaves the package. */
final class NotUnderstood extends Exception {

  private static final long serialVersionUID = 1L;

  private final GapReason reason;

  NotUnderstood(String detail) {
    this(GapReason.NOT_UNDERSTOOD, detail);
  }

  NotUnderstood(GapReason reason, String detail) {
    super(detail, null, false, false);
    this.reason = reason;
  }

  GapReason reason() {
    return reason;
  }

  String detail() {
    return String.valueOf(getMessage());
  }
}
