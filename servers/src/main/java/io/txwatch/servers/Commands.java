package io.txwatch.servers;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

/** Runs short-lived commands to completion, without output. */
final class Commands {

  private static final int MAX_MESSAGE_CHARACTERS = 600;

  private Commands() {}

  /** True if the command could be run and ended with 0. */
  static boolean succeeds(List<String> command) {
    try {
      run(command);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Runs a command.
   *
   * @throws IOException with the end of its output, if it cannot be run or fails
   */
  static void run(List<String> command) throws IOException {
    run(command, Map.of(), InputStream.nullInputStream());
  }

  /** Runs a command with additional environment variables and the given input. */
  static void run(List<String> command, Map<String, String> environment, InputStream input)
      throws IOException {
    File output = File.createTempFile("txwatch-command", ".log");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
      builder.environment().putAll(environment);
      Process process = builder.start();
      IOException inputError = null;
      try (OutputStream stdin = process.getOutputStream()) {
        input.transferTo(stdin);
      } catch (IOException e) {
        inputError = e;
      }
      int code = process.waitFor();
      if (code != 0 || inputError != null) {
        String text = Files.readString(output.toPath(), StandardCharsets.ISO_8859_1);
        throw new IOException(
            command.get(0) + " ended with " + code + ": " + tail(text.strip()), inputError);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + command.get(0), e);
    } finally {
      Files.deleteIfExists(output.toPath());
    }
  }

  /** Returns the end of a text, short enough for a message. */
  static String tail(String text) {
    return text.length() <= MAX_MESSAGE_CHARACTERS
        ? text
        : "…" + text.substring(text.length() - MAX_MESSAGE_CHARACTERS);
  }
}
