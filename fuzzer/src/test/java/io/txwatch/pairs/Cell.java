package io.txwatch.pairs;

import io.txwatch.servers.ServerKind;
import java.sql.Connection;

/** A DBMS and an isolation level. */
public enum Cell {
  POSTGRES_RC(ServerKind.POSTGRESQL, Connection.TRANSACTION_READ_COMMITTED),
  POSTGRES_RR(ServerKind.POSTGRESQL, Connection.TRANSACTION_REPEATABLE_READ),
  MARIADB_RC(ServerKind.MARIADB, Connection.TRANSACTION_READ_COMMITTED),
  MARIADB_RR(ServerKind.MARIADB, Connection.TRANSACTION_REPEATABLE_READ);

  private final ServerKind kind;
  private final int level;

  Cell(ServerKind kind, int level) {
    this.kind = kind;
    this.level = level;
  }

  public ServerKind kind() {
    return kind;
  }

  /** The isolation level, as in {@link Connection#setTransactionIsolation}. */
  public int level() {
    return level;
  }

  /** The DBMS and the level, as reports show them. */
  public String title() {
    return kind.product()
        + (level == Connection.TRANSACTION_READ_COMMITTED ? " READ COMMITTED" : " REPEATABLE READ");
  }
}
