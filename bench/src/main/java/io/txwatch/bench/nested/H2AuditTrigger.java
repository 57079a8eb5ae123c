package io.txwatch.bench.nested;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.h2.api.Trigger;

/** The audit trigger of H2, in whose place other DBMSs have a text. H2 creates it by its name. */
public final class H2AuditTrigger implements Trigger {

  private String table = "";

  /** For H2. */
  public H2AuditTrigger() {}

  @Override
  public void init(
      Connection connection, String schema, String trigger, String name, boolean before, int type) {
    table = name;
  }

  @Override
  public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)")) {
      insert.setString(1, table);
      insert.setObject(2, after[Column.ID.ordinal()]);
      insert.setObject(3, before[Column.VER.ordinal()]);
      insert.setObject(4, after[Column.VER.ordinal()]);
      insert.setObject(5, after[Column.K.ordinal()]);
      insert.setObject(6, after[Column.N.ordinal()]);
      insert.executeUpdate();
    }
  }
}
