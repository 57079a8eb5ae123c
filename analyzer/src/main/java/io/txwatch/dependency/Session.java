package io.txwatch.dependency;

import io.txwatch.history.Database;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session: its name, its DBMS, and the transaction that runs in it. */
final class Session {

  /** The session of a transaction that was never seen. */
  static final Session NONE = new Session("", new Database("", "", Map.of()));

  final String name;
  final Database database;
  @Nullable Transaction current;

  /** A session whose opening was not seen: its rows may be of any database, so of none known. */
  static Session unknown(long id) {
    return new Session("", new Database("", "", Map.of(), "session " + id));
  }

  Session(String name, Database database) {
    this.name = name;
    this.database = database;
  }
}
