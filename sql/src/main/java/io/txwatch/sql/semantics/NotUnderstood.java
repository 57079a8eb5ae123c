package io.txwatch.sql.semantics;

/** A statement of which nothing can be concluded, and why. */
public final class NotUnderstood extends Exception {

  private static final long serialVersionUID = 1L;

  /** Why nothing can be concluded. */
  public enum Reason {
    /** The grammar does not know it. */
    GRAMMAR,
    /** It is known, and not plain enough. */
    SHAPE
  }

  private final Reason reason;

  /** The grammar does not know something. */
  public NotUnderstood(String detail) {
    this(Reason.GRAMMAR, detail);
  }

  public NotUnderstood(Reason reason, String detail) {
    super(detail, null, false, false);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }
}
