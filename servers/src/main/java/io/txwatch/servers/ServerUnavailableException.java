package io.txwatch.servers;

/** A server could not be found, unpacked or started. The message is one line, for users. */
public final class ServerUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Creates an exception with a message. */
  public ServerUnavailableException(String message) {
    super(message);
  }

  /** Creates an exception with a message and its cause. */
  public ServerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
