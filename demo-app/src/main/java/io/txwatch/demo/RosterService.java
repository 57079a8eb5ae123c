package io.txwatch.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Doctors on call. A shift must not be left without one. */
final class RosterService {

  private final ServiceDatabase database;
  private final PaymentGateway pager;

  RosterService(ServiceDatabase database, PaymentGateway pager) {
    this.database = database;
    this.pager = pager;
  }

  /**
   * Signs a doctor off if another one stays. Two concurrent requests each count on the other
   * doctor: each writes a row of their own, so nothing stops them.
   *
   * @return false if no other doctor is on call
   */
  boolean signOff(int shift, int doctor) throws SQLException {
    return database.transaction(connection -> signOff(connection, shift, doctor, ""));
  }

  /**
   * As {@link #signOff}, repaired as the DBMS at hand suggests: PostgreSQL's SERIALIZABLE refuses
   * one of the two, which is retried; elsewhere the rows counted on are locked. (H2's SERIALIZABLE
   * is snapshot isolation, by its documentation, and lets both go; MySQL's and MariaDB's locks the
   * rows too, but so that the two deadlock.)
   */
  boolean signOffSafely(int shift, int doctor) throws SQLException {
    String lock = database.isPostgres() ? "" : database.forUpdate();
    return database.transaction(
        safeLevel(), connection -> signOff(connection, shift, doctor, lock));
  }

  /** The level of {@link #signOffSafely}. */
  int safeLevel() {
    return database.isPostgres() ? Connection.TRANSACTION_SERIALIZABLE : database.defaultLevel();
  }

  private boolean signOff(Connection connection, int shift, int doctor, String lock)
      throws SQLException {
    int onCall = 0;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT id, name FROM doctor WHERE shift_id = ? AND on_call = 1" + lock)) {
      select.setInt(1, shift);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          onCall++;
        }
      }
    }
    if (onCall < 2) {
      return false;
    }
    pager.call();
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE doctor SET on_call = 0 WHERE id = ?")) {
      update.setInt(1, doctor);
      return update.executeUpdate() == 1;
    }
  }
}
