package io.txwatch.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * How root starts a server that refuses to run as root (PostgreSQL): in a user namespace, where it
 * runs as nobody but owns root's files; if the kernel or the container forbids that, as the user
 * nobody.
 */
enum Privileges {
  /** The current user is not root: nothing to do. */
  ORDINARY(List.of()),
  /** {@code unshare -U}. */
  NAMESPACE(List.of("unshare", "-U")),
  /** {@code setpriv} to nobody. */
  UNPRIVILEGED_USER(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));

  private static final Privileges CURRENT = find();

  private final List<String> prefix;

  Privileges(List<String> prefix) {
    this.prefix = prefix;
  }

  /** What applies here. */
  static Privileges current() {
    return CURRENT;
  }

  /** What stands before the command. */
  List<String> prefix() {
    return prefix;
  }

  /** False if the server will run as a user who cannot look into root's home. */
  static boolean rootMayUseItsOwnFiles() {
    return CURRENT != UNPRIVILEGED_USER;
  }

  /** True if this process is root. */
  static boolean isRoot() {
    return CURRENT != ORDINARY;
  }

  /** Gives a directory, with all that is in it, to the user who the server will be. */
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
