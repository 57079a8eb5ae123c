package io.txwatch.dependency;

import io.txwatch.history.Database;
import io.txwatch.history.Product;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session: its name, its DBMS, and its active transaction. */
final class Session {

  /** The session of a transaction that was never observed. */
  static final Session NONE = new Session(0, "", new Database(Product.UNKNOWN, Map.of()), false);

  final long id;
  final String name;
  final Database database;

  /** Rows of different scopes are never compared: the place, in a run of its server. */
  final String scope;

  /** False if its opening was not observed. */
  final boolean opened;

  @Nullable Transaction current;

  /** When its last event arrived, on the clock of events. */
  long lastEventAt;

  /** Its last committed transaction, if session order counts. */
  @Nullable Transaction committed;

  /**
   * A session whose opening was not observed: the database of its rows is unknown, so they are
   * ignored.
   */
  static Session unknown(long id) {
    return new Session(id, "", new Database(Product.UNKNOWN, Map.of(), "session " + id), false);
  }

  Session(long id, String name, Database database) {
    this(id, name, database, true);
  }

  private Session(long id, String name, Database database, boolean opened) {
    this.id = id;
    this.name = name;
    this.database = database;
    this.scope = database.scope();
    this.opened = opened;
  }
}
