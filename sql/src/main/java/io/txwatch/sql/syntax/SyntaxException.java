package io.txwatch.sql.syntax;

/** Text that the grammar does not know. Never leaves the package. */
final class SyntaxException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean unsupported;
  private boolean isFinal;

  private SyntaxException(String message, boolean unsupported) {
    super(message, null, false, false);
    this.unsupported = unsupported;
  }

  /** Something else stands where the grammar expects a certain thing. */
  static SyntaxException unknown(String detail) {
    return new SyntaxException(detail, false);
  }

  /** A construct that is recognized, and deliberately not read. */
  static SyntaxException unsupported(String detail) {
    return new SyntaxException(detail, true);
  }

  /** The same as a reason to give up, instead of reading on behind it. */
  SyntaxException asFinal() {
    isFinal = true;
    return this;
  }

  void throwIfFinal() {
    if (isFinal) {
      throw this;
    }
  }

  boolean isUnsupported() {
    return unsupported;
  }

  String detail() {
    return String.valueOf(getMessage());
  }
}
