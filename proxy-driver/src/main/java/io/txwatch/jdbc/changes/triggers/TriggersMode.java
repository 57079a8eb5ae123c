package io.txwatch.jdbc.changes.triggers;

import io.txwatch.catalog.CatalogMode.Versions;
import io.txwatch.changes.Probe;
import io.txwatch.changes.h2.TriggerSource;
import io.txwatch.history.Database;
import io.txwatch.jdbc.changes.ChangeReader;
import io.txwatch.jdbc.changes.ChangeReading;
import io.txwatch.jdbc.changes.ChangesMode;
import io.txwatch.jdbc.changes.ChangesRequest;
import java.sql.Connection;
import java.sql.SQLException;

/** {@code txwatch.versions=triggers}: what triggers see of an H2 database in this process. */
public final class TriggersMode implements ChangesMode {

  private static final String PRODUCT = "H2";

  @Override
  public Versions versions() {
    return Versions.TRIGGERS;
  }

  @Override
  public String noun() {
    return "triggers";
  }

  @Override
  public boolean serves(Database database) {
    return database.product().is(PRODUCT);
  }

  @Override
  public String whyNot(Database database) {
    return "triggers are used for H2 in memory only, not for " + database.product().displayName();
  }

  @Override
  public String consequence(String why) {
    return "no row versions come from triggers: "
        + why
        + "; what is read and written is recorded and not resolved, as with"
        + " txwatch.versions=statements; txwatch.versions=columns is the way that works there";
  }

  @Override
  public String run(Database database) {
    return database.run();
  }

  @Override
  public Candidate find(ChangesRequest request) {
    try {
      Connection own = own(request.real());
      Probe probe = TriggerSource.probe(own);
      if (!probe.isReadable()) {
        return Candidate.missing(probe.missing());
      }
      TriggerSource source = TriggerSource.of(own);
      return Candidate.of(
          PRODUCT + "\0" + request.database().run(),
          new Triggers("the H2 database " + source.database(), source));
    } catch (SQLException | RuntimeException | LinkageError e) {
      return Candidate.missing("txwatch cannot use the classes of this H2: " + e);
    }
  }

  @Override
  public ChangeReading reading(ChangeReader.Lease lease, ChangesRequest request) {
    try {
      return lease.record() instanceof Triggers shared
          ? new TriggersReading(lease, shared, TriggerSource.sessionId(own(request.real())))
          : lease;
    } catch (SQLException | RuntimeException | LinkageError e) {
      return lease; // it has no session that could be named
    }
  }

  /** H2's own connection behind a pool's handle. */
  private static Connection own(Connection connection) throws SQLException {
    return connection.getClass().getName().startsWith("org.h2.")
        ? connection
        : connection.unwrap(Connection.class);
  }
}
