package io.txwatch.cli;

import io.txwatch.document.DocumentFormat;
import io.txwatch.document.SourceFiles;
import io.txwatch.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A report in a file.
 *
 * @param file the file
 * @param format the format that its name selects
 */
record DocumentFile(OutputFile file, DocumentFormat format) {

  /**
   * Checks the name of a file that is to be written.
   *
   * @param histories the files that are read for it
   */
  static DocumentFile of(String option, Path target, List<Path> histories) throws IOException {
    DocumentFormat format =
        DocumentFormat.of(target)
            .orElseThrow(
                () ->
                    CommandException.badInput(
                        option
                            + ": expected a name that ends in "
                            + DocumentFormat.endings()
                            + ", not '"
                            + target
                            + "'"));
    return new DocumentFile(OutputFile.of(option, target, histories), format);
  }

  /** Replaces the file. */
  void write(Report report, SourceFiles sources) throws IOException {
    file.write(
        out -> {
          out.write(format.write(report, sources));
          return "";
        });
  }
}
