package io.txwatch.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/**
 * Opens another connection to the database that the application uses: the real driver's, not a
 * watched one, with the application's URL and properties.
 */
@FunctionalInterface
public interface ConnectionSource {

  /**
   * For connections that come from a pool, the application's or a driver's own: another one would
   * be missing there. Tables are looked up on the pool's next connection then.
   */
  ConnectionSource NONE =
      () -> {
        throw new SQLException("a pool's connections are the application's alone", "08001");
      };

  /** Opens one. */
  Connection open() throws SQLException;

  /**
   * Opens one as another user, where that is possible; else as {@link #open}.
   *
   * @throws SQLException if it cannot be opened
   */
  default Connection openAs(Login login) throws SQLException {
    return open();
  }

  /** As whom {@link #open} does it; empty if the driver alone knows. */
  default Optional<Login> login() {
    return Optional.empty();
  }

  /** The properties that the driver gets beside the URL, without secrets; empty if unknown. */
  default Map<String, String> properties() {
    return Map.of();
  }
}
