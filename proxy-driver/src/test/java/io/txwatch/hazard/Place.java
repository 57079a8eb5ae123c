package io.txwatch.hazard;

import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A DBMS and a level of instrumentation: where a hazard may strike. */
record Place(ServerKind kind, Level level) {

  private static final List<String> SHOP =
      List.of(
          "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20), qty INT)",
          "CREATE TABLE line (id INT PRIMARY KEY, item_id INT, amount INT)",
          "INSERT INTO item VALUES (1, 'apple', 10), (2, 'pear', 20), (3, NULL, 20)",
          "INSERT INTO line VALUES (1, 1, 5), (2, 1, 6), (3, 2, 7)");

  /** Twins with two tables: {@code item(id, name, qty)} and {@code line(id, item_id, amount)}. */
  Twins shop() {
    return new Twins(this, SHOP);
  }

  /** The same with more in it. */
  Twins shopWith(String... more) {
    return new Twins(this, Stream.concat(SHOP.stream(), Stream.of(more)).toList());
  }

  /** Twins of other tables. */
  Twins of(String... setup) {
    return new Twins(this, List.of(setup));
  }

  boolean is(ServerKind... kinds) {
    return List.of(kinds).contains(kind);
  }

  /** True for MySQL and MariaDB. */
  boolean isMySqlLike() {
    return is(ServerKind.MYSQL, ServerKind.MARIADB);
  }

  /** True if its tables have the auxiliary columns. */
  boolean isPrepared() {
    return !is(ServerKind.POSTGRESQL, ServerKind.SQLITE);
  }

  /** True where statements are sent as they are. */
  boolean isByValue() {
    return is(ServerKind.SQLITE);
  }

  @Override
  public String toString() {
    return kind + " " + level.name().toLowerCase(Locale.ROOT);
  }
}
