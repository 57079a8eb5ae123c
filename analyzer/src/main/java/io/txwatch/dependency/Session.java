package io.txwatch.dependency;

import io.txwatch.history.Database;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session: its name, its DBMS, and the transaction that runs in it. */
final class Session {

  /** The session of a transaction that was never seen. */
  static final Session NONE = new Session(0, "", new Database("", "", Map.of()), false);

  final long id;
  final String name;
  final Database database;

  /** False if its opening was not seen. */
  final boolean opened;

  @Nullable Transaction current;

  /** When its last event came, on the clock of arriving events. */
  long lastEventAt;

  /** Its last transaction that committed, if the order of sessions counts. */
  @Nullable Transaction committed;

  /**
   * A session whose opening was not seen: its rows may be any database's, and are not looked at.
   */
  static Session unknown(long id) {
    return new Session(id, "", new Database("", "", Map.of(), "session " + id), false);
  }

  /** A session that was opened. */
  Session(long id, String name, Database database) {
    this(id, name, database, true);
  }

  private Session(long id, String name, Database database, boolean opened) {
    this.id = id;
    this.name = name;
    this.database = database;
    this.opened = opened;
  }
}
