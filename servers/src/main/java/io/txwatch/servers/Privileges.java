package io.txwatch.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Drops root's privileges for a server that does not run as root (PostgreSQL): in a user namespace,
 * where it runs as {@code nobody} but owns root's files; if the kernel or the container forbids
 * that, as the user {@code nobody}.
 */
enum Privileges {
  /** The current user is not root: nothing to do. */
  ORDINARY(List.of()),
  /** {@code unshare -U}. */
  NAMESPACE(List.of("unshare", "-U")),
  /** {@code setpriv} to {@code nobody}. */
  UNPRIVILEGED_USER(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));

  private static final Privileges CURRENT = find();

  private final List<String> prefix;

  Privileges(List<String> prefix) {
    this.prefix = prefix;
  }

  /** The method that this process can use. */
  static Privileges current() {
    return CURRENT;
  }

  /** The beginning of the command line. */
  List<String> prefix() {
    return prefix;
  }

  /** False if the server runs as a user who cannot read root's home. */
  static boolean rootMayUseItsOwnFiles() {
    return CURRENT != UNPRIVILEGED_USER;
  }

  /** True if this process is root. */
  static boolean isRoot() {
    return CURRENT != ORDINARY;
  }

  /** Changes the owner of a directory and its content to the server's user. */
  void own(Path directory) throws IOException {
    if (this == UNPRIVILEGED_USER) {
      Commands.run(List.of("chown", "-R", "65534:65534", directory.toString()));
    }
  }

  private static Privileges find() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return ORDINARY;
    }
    return Commands.succeeds(List.of("unshare", "-U", "true")) ? NAMESPACE : UNPRIVILEGED_USER;
  }
}
