package io.txwatch.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Writes results to standard output and optionally to a file; writes progress to standard error.
 */
public final class Output {

  @Option(names = "--out", description = "append the tables to this file, too")
  private @Nullable Path file;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  /** Writes a part of the report. */
  public void write(String text) throws IOException {
    PrintWriter out = command.commandLine().getOut();
    out.print(text);
    out.flush();
    if (file != null) {
      Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  /** Writes a line of progress. */
  public void progress(String line) {
    PrintWriter err = command.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
