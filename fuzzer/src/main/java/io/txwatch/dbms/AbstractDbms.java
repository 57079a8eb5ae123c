package io.txwatch.dbms;

import io.txwatch.history.Database;
import java.sql.SQLException;

/** A DBMS with the means to connect to it. */
public abstract class AbstractDbms implements Dbms {

  /** Product, version and settings. */
  protected final Database database;

  /** Opens its connections. */
  protected final Connector connector;

  /** Creates a DBMS that is connected to by {@code connector}. */
  protected AbstractDbms(Database database, Connector connector) {
    this.database = database;
    this.connector = connector;
  }

  @Override
  public final Database database() {
    return database;
  }

  /** Replaces the placeholders of a case; see {@link Dbms#renderSql}. */
  protected static String render(
      String sql, String engine, String autoIncrement, String forUpdate) {
    return sql.replace("{ENGINE}", engine)
        .replace("{AUTOINC}", autoIncrement)
        .replace("{FU}", forUpdate);
  }

  /** The SQLState of an error, or an empty text. */
  protected static String sqlState(SQLException error) {
    return error.getSQLState() == null ? "" : error.getSQLState();
  }
}
