package io.txwatch.cli;

import io.txwatch.document.DocumentFormat;
import io.txwatch.document.SourceFiles;
import io.txwatch.history.PrivateFiles;
import io.txwatch.report.Report;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A report in a file.
 *
 * @param target the file, in a directory that exists
 * @param format the format that its name selects
 */
record DocumentFile(Path target, Path directory, DocumentFormat format) {

  /** Checks the name of a file that is to be written. */
  static DocumentFile of(String option, Path target) {
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
    Path directory = target.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw CommandException.badInput(option + ": no such directory: " + directory);
    } else if (Files.isDirectory(target)) {
      throw CommandException.badInput(option + ": " + target + " is a directory");
    }
    return new DocumentFile(target, directory, format);
  }

  /** Replaces the file as a whole. Its owner alone can read it: it contains SQL. */
  void write(Report report, SourceFiles sources) throws IOException {
    Path unfinished = Files.createTempFile(directory, "report", ".part");
    try {
      try (FileChannel out = PrivateFiles.open(unfinished, StandardOpenOption.WRITE)) {
        String text = format.write(report, sources);
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
      }
      Files.move(unfinished, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }
}
