package io.txwatch.history;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens the files that txwatch writes. A created file is accessible to its owner only, because it
 * contains the application's SQL; an existing file keeps its mode.
 */
public final class PrivateFiles {

  private PrivateFiles() {}

  /**
   * Opens a file and creates it if it does not exist. May block, for example on a named pipe or on
   * a file system that does not respond.
   *
   * @throws IOException as {@link FileChannel#open} does
   */
  public static FileChannel open(Path file, StandardOpenOption... more) throws IOException {
    Set<StandardOpenOption> options = new java.util.HashSet<>(Set.of(more));
    options.add(StandardOpenOption.CREATE);
    return FileChannel.open(file, options, ownerOnly(file));
  }

  private static FileAttribute<?>[] ownerOnly(Path file) {
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /**
   * Returns the identity of the file at a path within its file system, which survives a move; null
   * if there is no file or the system has no identities.
   */
  public static @Nullable Object identity(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return null;
    }
  }

  /** Describes in a few words, without the file's name, why a file cannot be opened or written. */
  public static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such directory";
    } else if (e instanceof AccessDeniedException) {
      return "permission denied";
    } else if (e instanceof FileAlreadyExistsException exists) {
      return exists.getFile() + " is not a directory";
    }
    String reason = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
    return reason == null ? e.toString() : reason;
  }
}
