package io.txwatch.corpus;

import io.txwatch.servers.ServerKind;
import java.util.Locale;
import java.util.stream.Stream;

/** Where the versions of rows come from ({@code txwatch.versions}). */
public enum VersionsFrom {
  /** The two auxiliary columns, which {@code prepare} adds. */
  COLUMNS,
  /** The system columns; the tables are not changed (PostgreSQL). */
  SYSTEM;

  /** Those that a DBMS can use. */
  static Stream<VersionsFrom> of(ServerKind kind) {
    return kind == ServerKind.POSTGRESQL ? Stream.of(values()) : Stream.of(COLUMNS);
  }

  /** The value of the setting. */
  String value() {
    return name().toLowerCase(Locale.ROOT);
  }
}
