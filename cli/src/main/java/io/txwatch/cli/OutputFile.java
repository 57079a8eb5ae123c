package io.txwatch.cli;

import io.txwatch.history.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A file that a command writes. It is replaced as a whole, and its owner alone can read it: it may
 * contain SQL.
 *
 * @param target the file
 * @param directory its folder, which is made if there is none
 */
record OutputFile(Path target, Path directory) {

  private static final int BUFFER_CHARACTERS = 1 << 16;

  /** Writes the content, and returns a description of it. */
  interface Content {
    String writeTo(Writer out) throws IOException;
  }

  /**
   * Checks the name of a file that is to be written.
   *
   * @param option the option that names it, for messages
   * @param sources the files that are read for it
   */
  static OutputFile of(String option, Path target, List<Path> sources) throws IOException {
    Path directory = target.toAbsolutePath().getParent();
    if (directory == null || Files.isDirectory(target)) {
      throw CommandException.badInput(option + ": " + target + " is a directory");
    }
    Path existing = directory;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing)) {
      throw CommandException.badInput(option + ": " + existing + " is not a directory");
    }
    for (Path source : sources) {
      if (Files.exists(target) && Files.exists(source) && Files.isSameFile(target, source)) {
        throw CommandException.badInput(option + ": " + target + " is the history itself");
      }
    }
    return new OutputFile(target, directory);
  }

  /** Replaces the file; returns what {@code content} returns. */
  String write(Content content) throws IOException {
    Files.createDirectories(directory);
    Path unfinished = Files.createTempFile(directory, "txwatch", ".part");
    try {
      String written;
      try (FileChannel channel = PrivateFiles.open(unfinished, StandardOpenOption.WRITE);
          Writer out =
              new BufferedWriter(
                  Channels.newWriter(channel, StandardCharsets.UTF_8), BUFFER_CHARACTERS)) {
        written = content.writeTo(out);
      }
      Files.move(unfinished, target, StandardCopyOption.REPLACE_EXISTING);
      return written;
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }
}
