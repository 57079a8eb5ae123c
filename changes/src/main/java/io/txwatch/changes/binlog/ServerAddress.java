package io.txwatch.changes.binlog;

/**
 * Where a log is read, and as whom.
 *
 * @param user who has REPLICATION SLAVE, and REPLICATION CLIENT (MariaDB: BINLOG MONITOR)
 */
public record ServerAddress(String host, int port, String user, String password, Tls tls) {

  /** How the connection is protected, as by the drivers' {@code sslMode}. */
  public enum Tls {
    DISABLED,
    PREFERRED,
    REQUIRED,
    VERIFY_CA,
    VERIFY_IDENTITY
  }

  /** Without the password. */
  @Override
  public String toString() {
    return user + "@" + host + ":" + port;
  }
}
