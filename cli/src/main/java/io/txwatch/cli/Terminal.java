package io.txwatch.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The terminal of this process, if its streams are one. */
final class Terminal {

  private static final int DEFAULT_WIDTH = 100;
  private static final int MAX_WIDTH = 240;
  private static final int STANDARD_OUTPUT = 1;
  private static final int STANDARD_ERROR = 2;

  private Terminal() {}

  /** Whether people read standard output in colour: a terminal, and nothing that forbids it. */
  static boolean hasColour() {
    return isTerminal(STANDARD_OUTPUT) && allowsColour(System.getenv());
  }

  /** Whether the environment allows colour: NO_COLOR is empty (no-color.org), TERM is not dumb. */
  static boolean allowsColour(Map<String, String> environment) {
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }

  /** Whether a line of progress on standard error is seen, and can be replaced. */
  static boolean showsProgress() {
    return isTerminal(STANDARD_ERROR) && !"dumb".equals(System.getenv("TERM"));
  }

  private static boolean isTerminal(int descriptor) {
    Path stream = Path.of("/proc/self/fd/" + descriptor);
    try {
      if (Files.isSymbolicLink(stream)) {
        return Files.readSymbolicLink(stream).toString().matches("/dev/(pts/\\d+|tty.*|console)");
      }
    } catch (IOException e) {
      return false;
    }
    return System.console() != null;
  }

  /** The width of standard output in cells; {@value #DEFAULT_WIDTH} if it is no terminal. */
  static int width() {
    return isTerminal(STANDARD_OUTPUT) ? width(System.getenv("COLUMNS"), size()) : DEFAULT_WIDTH;
  }

  /**
   * The width that the environment or {@code stty} gives.
   *
   * @param columns COLUMNS
   * @param size the output of {@code stty size}: rows and columns
   */
  static int width(@org.jspecify.annotations.Nullable String columns, String size) {
    String text = columns != null ? columns : size.replaceFirst("^\\d+ +", "");
    return text.strip().matches("[1-9][0-9]{0,4}")
        ? Math.min(MAX_WIDTH, Integer.parseInt(text.strip()))
        : DEFAULT_WIDTH;
  }

  private static String size() {
    try {
      Process stty = new ProcessBuilder("stty", "size").redirectInput(new File("/dev/tty")).start();
      try {
        return stty.waitFor(1, TimeUnit.SECONDS) && stty.exitValue() == 0
            ? new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
            : "";
      } finally {
        stty.destroy();
      }
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
