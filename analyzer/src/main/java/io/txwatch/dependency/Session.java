package io.txwatch.dependency;

import io.txwatch.history.Database;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session: its name, its DBMS, and the transaction that runs in it. */
final class Session {

  /** The session of a transaction that was never seen. */
  static final Session NONE = new Session("", new Database("", "", Map.of()), false);

  final String name;
  final Database database;

  /** False if its opening was not seen. */
  final boolean opened;

  @Nullable Transaction current;

  /** Its last transaction that committed, if the order of sessions counts. */
  @Nullable Transaction committed;

  /**
   * A session whose opening was not seen: its rows may be any database's, and are not looked at.
   */
  static Session unknown(long id) {
    return new Session("", new Database("", "", Map.of(), "session " + id), false);
  }

  /** A session that was opened. */
  Session(String name, Database database) {
    this(name, database, true);
  }

  private Session(String name, Database database, boolean opened) {
    this.name = name;
    this.database = database;
    this.opened = opened;
  }
}
