package io.txwatch.cli;

import io.txwatch.baseline.Baseline;
import io.txwatch.baseline.BaselineFile;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --baseline}, of the commands that honour accepted kinds of anomalies. */
final class BaselineOption {

  @Option(
      names = "--baseline",
      paramLabel = "FILE|none",
      description =
          "the kinds of anomalies that are accepted (default: "
              + BaselineFile.NAME
              + " in the working directory, if there is one)")
  private @Nullable String name;

  /** The file that is in use; empty if there is none. */
  Optional<BaselineFile> file() throws IOException {
    if (name != null && name.isEmpty()) {
      throw CommandException.badInput("--baseline: expected the name of a file, or none");
    }
    return BaselineFile.inUse(name == null ? "" : name);
  }

  /**
   * What is accepted.
   *
   * @param failOn if it is {@link FailOn#NEW}, there must be a baseline
   */
  Baseline baseline(FailOn failOn) throws IOException {
    Optional<BaselineFile> file = file();
    if (failOn == FailOn.NEW && file.isEmpty()) {
      throw CommandException.badInput(
          "--fail-on new: there is no baseline: name one with --baseline, or write "
              + BaselineFile.NAME
              + " with 'txwatch baseline add'");
    }
    return file.map(BaselineFile::baseline).orElse(Baseline.NONE);
  }

  /** The name of the file in use, for messages. */
  String shownName() {
    return name == null ? BaselineFile.NAME : name;
  }
}
