package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file of anomalies: a line of JSON each, flushed as they are found. A line that cannot be
 * written is given up, and that is said once: the application must not suffer for it.
 */
public final class ReportFile {

  private final Writer out;
  private final Path path;
  private final PrintStream trouble;
  private boolean failed;

  private ReportFile(Writer out, Path path, PrintStream trouble) {
    this.out = out;
    this.path = path;
    this.trouble = trouble;
  }

  /**
   * Opens a file to append to, with the directories above it.
   *
   * @throws IOException if it cannot be opened; the message names it
   */
  public static ReportFile append(String name) throws IOException {
    try {
      Path path = Path.of(name).toAbsolutePath();
      Path directory = path.getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      Writer out =
          Files.newBufferedWriter(
              path, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      return new ReportFile(out, path, System.err);
    } catch (IOException | InvalidPathException e) {
      throw new IOException(
          "txwatch.report: cannot write " + name + ": " + e + "; name a file that can be", e);
    }
  }

  /** Writes a line. */
  public void write(Anomaly anomaly) {
    writeLine(JsonReport.anomaly(anomaly));
  }

  /** Writes a line that takes a suspicion back. */
  public void withdraw(Anomaly anomaly) {
    writeLine(JsonReport.withdrawn(anomaly));
  }

  private void writeLine(String line) {
    try {
      out.write(line + "\n");
      out.flush();
    } catch (IOException e) {
      fail(e);
    }
  }

  /** Lets the file go. */
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(IOException e) {
    if (!failed) {
      failed = true;
      trouble.println("txwatch: cannot write " + path + " any more, anomalies are missing: " + e);
    }
  }
}
