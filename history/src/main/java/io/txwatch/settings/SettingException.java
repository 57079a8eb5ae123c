package io.txwatch.settings;

/**
 * An invalid setting: an unknown key, a rejected value, a file that cannot be read. The message is
 * one line: what is wrong, where it came from, and what was expected.
 */
public final class SettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  public SettingException(String message) {
    super(message);
  }
}
