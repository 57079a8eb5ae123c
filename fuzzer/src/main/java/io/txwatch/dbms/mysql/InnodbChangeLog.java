package io.txwatch.dbms.mysql;

import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ConnectionOpener;
import io.txwatch.changes.Probe;
import io.txwatch.changes.binlog.BinaryLogSource;
import io.txwatch.changes.binlog.ServerAddress;
import io.txwatch.dbms.ChangeLog;
import io.txwatch.dbms.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The binary log of MySQL or MariaDB.
 *
 * @param opener opens connections that query definitions and the end of the log
 */
record InnodbChangeLog(ServerAddress address, ConnectionOpener opener) implements ChangeLog {

  /** Each row is a reason. */
  private static final String INCOMPLETE =
      "SELECT CONCAT('the engine of the table ', table_name, ' is ', engine, ', not InnoDB')"
          + " FROM information_schema.tables WHERE table_schema = DATABASE()"
          + " AND table_type = 'BASE TABLE' AND engine <> 'InnoDB'"
          + " UNION ALL SELECT 'a foreign key has an action, whose changes need not be in the log'"
          + " FROM information_schema.referential_constraints"
          + " WHERE constraint_schema = DATABASE()"
          + " AND (update_rule NOT IN ('RESTRICT', 'NO ACTION')"
          + " OR delete_rule NOT IN ('RESTRICT', 'NO ACTION'))"
          + " UNION ALL SELECT CONCAT('the table ', table_name, ' has a generated column')"
          + " FROM information_schema.columns WHERE table_schema = DATABASE()"
          + " AND extra REGEXP 'VIRTUAL|STORED|PERSISTENT'";

  @Override
  public Optional<String> whyIncomplete() throws IOException {
    Probe probe = BinaryLogSource.probe(opener);
    return probe.isReadable() ? probe.limits().stream().findFirst() : Optional.of(probe.missing());
  }

  @Override
  public Optional<String> whyIncompleteFor(Connection session) throws SQLException {
    List<String> reasons = Sql.column(session, INCOMPLETE);
    return reasons.stream().findFirst();
  }

  @Override
  public ChangeSource open() {
    return new BinaryLogSource(address, opener);
  }
}
