package io.txwatch.servers;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whole directories: copy and delete. */
public final class Directories {

  /** If set, a server's data is in memory where there is much of it: the tests of a build. */
  private static final String IN_MEMORY_PROPERTY = "txwatch.servers.memory";

  private static final Path MEMORY = Path.of("/dev/shm");

  /**
   * Some thousand databases of PostgreSQL, of 8 MB each: what the JVMs of a build leave at once.
   */
  private static final long ENOUGH_BYTES = 12L << 30;

  private Directories() {}

  /**
   * Creates a directory for the data of a server. A new database writes megabytes, which takes a
   * disk ten times the processor time of memory.
   */
  static Path temporary(String prefix) throws IOException {
    return Boolean.getBoolean(IN_MEMORY_PROPERTY) && isMemoryAmple()
        ? Files.createTempDirectory(MEMORY, prefix)
        : Files.createTempDirectory(prefix);
  }

  private static boolean isMemoryAmple() throws IOException {
    return Files.isWritable(MEMORY)
        && Files.getFileStore(MEMORY).getUsableSpace() >= ENOUGH_BYTES
        // That of the container, if its limit is lower than the machine's.
        && ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        && system.getTotalMemorySize() >= ENOUGH_BYTES * 3 / 2;
  }

  /** Deletes a directory and all that is in it, links not followed; nothing if there is none. */
  public static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException error)
              throws IOException {
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Copies a directory's content, with its permissions, into one that exists. */
  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(
          file -> {
            Path target = to.resolve(from.relativize(file).toString());
            try {
              if (!target.equals(to)) {
                Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
