package io.txwatch.bench.nested;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.h2.api.Trigger;

/** The trigger of H2 that writes to {@code tb}. H2 creates it by its name. */
public final class H2CopyTrigger implements Trigger {

  /** For H2. */
  public H2CopyTrigger() {}

  @Override
  public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE tb SET n = ?, ver = ? WHERE id = ?")) {
      update.setObject(1, after[Column.N.ordinal()]);
      update.setObject(2, after[Column.VER.ordinal()]);
      update.setObject(3, after[Column.ID.ordinal()]);
      update.executeUpdate();
    }
  }
}
