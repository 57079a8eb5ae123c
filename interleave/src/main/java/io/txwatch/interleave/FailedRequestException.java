package io.txwatch.interleave;

/** A service has answered a request with an error. */
public final class FailedRequestException extends Exception {

  private static final long serialVersionUID = 1;

  private final String status;

  /**
   * An error.
   *
   * @param status what is compared with other executions: {@code HTTP status 409}
   */
  public FailedRequestException(String status) {
    super(status);
    this.status = status;
  }

  String status() {
    return status;
  }
}
