package io.txwatch.settings;

/**
 * A setting that cannot hold: an unknown key, a value it does not take, a file that cannot be read.
 * The message is one line for people: what is wrong, where it came from, and what was expected.
 */
public final class SettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  /** An exception with that line. */
  public SettingException(String message) {
    super(message);
  }
}
