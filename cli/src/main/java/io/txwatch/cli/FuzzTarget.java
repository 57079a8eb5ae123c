package io.txwatch.cli;

import io.txwatch.catalog.DatabaseProbe;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.product.registry.Products;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;

/**
 * A database that {@code fuzz} examines.
 *
 * @param keep a connection that keeps a database in memory while it is open
 * @param shownUrl its URL without secrets
 */
record FuzzTarget(Connection keep, Dbms dbms, String shownUrl) implements AutoCloseable {

  /**
   * Connects to a database.
   *
   * @throws CommandException if it cannot be reached, contains tables, or lacks what is needed
   */
  static FuzzTarget open(String url, DatabaseOptions database, Console console) {
    String unwatched = Drivers.unwatched(url);
    String real =
        CommandDbms.of(unwatched)
            .flatMap(known -> known.named(unwatched, "fuzz"))
            .orElse(unwatched);
    try {
      Connection keep = Drivers.connect(real, database);
      try {
        return check(keep, real, database, console);
      } catch (SQLException | UnsupportedDbmsException | RuntimeException e) {
        keep.close();
        throw e;
      }
    } catch (UnsupportedDbmsException e) {
      throw CommandException.badInput(Objects.requireNonNull(e.getMessage()));
    } catch (SQLException e) {
      throw unreachable(real, e);
    }
  }

  static CommandException unreachable(String url, SQLException cause) {
    return CommandException.unreachable(
        Drivers.shown(url) + ": " + ConnectFailure.message(url, cause));
  }

  private static FuzzTarget check(
      Connection keep, String real, DatabaseOptions database, Console console)
      throws SQLException, UnsupportedDbmsException {
    DatabaseProbe probe = Products.probe(keep, real);
    if (DbmsRegistry.dialect(probe.database().product().name()).isEmpty()
        || probe.notRewritten().dialect().isEmpty()) {
      throw CommandException.badInput(
          "no statements can be generated for this DBMS, or for its sql_mode");
    }
    String shown = Drivers.shown(real);
    EmptyDatabaseCheck.requireEmpty(keep, shown);
    Dbms dbms = DbmsRegistry.connect(real, Drivers.connector(database));
    EmptyDatabaseCheck.requireRights(dbms, shown)
        .ifPresent(note -> console.note("txwatch: " + note));
    return new FuzzTarget(keep, dbms, shown);
  }

  /** Closes it after a campaign, when it does not matter any more whether the server is lost. */
  void closeQuietly() {
    try {
      close();
    } catch (SQLException e) {
      // The server drops the connection.
    }
  }

  @Override
  public void close() throws SQLException {
    keep.close();
  }
}
