package io.txwatch.dbms.postgresql;

import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ConnectionOpener;
import io.txwatch.changes.Probe;
import io.txwatch.changes.decoding.LogicalSlotSource;
import io.txwatch.dbms.ChangeLog;
import io.txwatch.dbms.Sql;
import io.txwatch.product.postgresql.PgCatalogNames;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * PostgreSQL's write-ahead log, by logical decoding. The changes of referential actions are in it.
 *
 * @param opener opens connections that read the log
 */
record PostgresChangeLog(ConnectionOpener opener) implements ChangeLog {

  private static final String OF_SCHEMA = " WHERE c.relnamespace = current_schema()::regnamespace";

  /** Each row is a reason. */
  private static final String INCOMPLETE =
      "SELECT 'the table ' || c.relname || ' is unlogged' FROM pg_catalog.pg_class c"
          + OF_SCHEMA
          + " AND c.relkind = 'r' AND c.relpersistence <> 'p'"
          + " UNION ALL SELECT 'rows of the table ' || c.relname || ' are stored in another one'"
          + " FROM pg_catalog.pg_class c"
          + " JOIN pg_catalog.pg_inherits i ON i.inhparent = c.oid"
          + OF_SCHEMA
          + " UNION ALL SELECT 'the table ' || c.relname || ' has a generated column'"
          + " FROM pg_catalog.pg_class c"
          + " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid"
          + OF_SCHEMA
          + " AND c.relkind = 'r' AND a.attnum > 0 AND a.attgenerated <> ''";

  private static final String WITHOUT_FULL_IMAGES =
      "SELECT 'ALTER TABLE ' || quote_ident(c.relname) || ' REPLICA IDENTITY FULL'"
          + " FROM pg_catalog.pg_class c"
          + OF_SCHEMA
          + " AND c.relkind = 'r' AND c.relreplident <> 'f'";

  @Override
  public Optional<String> whyIncomplete() throws IOException {
    Probe probe = LogicalSlotSource.probe(opener);
    return probe.isReadable() ? probe.limits().stream().findFirst() : Optional.of(probe.missing());
  }

  @Override
  public Optional<String> whyIncompleteFor(Connection session) throws SQLException {
    return Sql.column(session, PgCatalogNames.qualify(INCOMPLETE)).stream().findFirst();
  }

  @Override
  public void prepare(Connection session) throws SQLException {
    Sql.executeAll(session, Sql.column(session, PgCatalogNames.qualify(WITHOUT_FULL_IMAGES)));
  }

  @Override
  public String schema(Connection session) throws SQLException {
    return session.getSchema();
  }

  @Override
  public ChangeSource open() {
    return new LogicalSlotSource(opener);
  }
}
