package io.txwatch.servers;

/** A server could not be found, unpacked or started. The message is one line for people. */
public final class ServerUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** With the line for people. */
  public ServerUnavailableException(String message) {
    super(message);
  }

  /** With the line for people and the cause. */
  public ServerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
