package io.txwatch.dependency;

import io.txwatch.history.Database;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session: its name, its DBMS, and the transaction that runs in it. */
final class Session {

  static final Database UNKNOWN = new Database("", "", Map.of());

  final long id;
  final String name;
  final Database database;
  @Nullable Transaction current;

  Session(long id, String name, Database database) {
    this.id = id;
    this.name = name;
    this.database = database;
  }
}
