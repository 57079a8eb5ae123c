package io.txwatch.demo;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Seats on a flight, each to be sold once. */
final class BookingService {

  private final ServiceDatabase database;
  private final PaymentGateway gateway;

  BookingService(ServiceDatabase database, PaymentGateway gateway) {
    this.database = database;
    this.gateway = gateway;
  }

  /**
   * Books a seat: checks whether it is free, takes the payment, writes the name down. Two customers
   * who check at the same time both find it free.
   *
   * @return true if the customer got a ticket
   */
  boolean book(int seat, String customer) throws SQLException {
    return database.transaction(
        connection -> {
          try (PreparedStatement select =
              connection.prepareStatement("SELECT booked_by FROM seat WHERE id = ?")) {
            select.setInt(1, seat);
            try (ResultSet rows = select.executeQuery()) {
              if (!rows.next() || rows.getString("booked_by") != null) {
                return false;
              }
            }
          }
          gateway.call();
          try (PreparedStatement update =
              connection.prepareStatement("UPDATE seat SET booked_by = ? WHERE id = ?")) {
            update.setString(1, customer);
            update.setInt(2, seat);
            return update.executeUpdate() == 1;
          }
        });
  }

  /** As {@link #book}, checking and writing in one statement: the update count decides. */
  boolean bookAtomically(int seat, String customer) throws SQLException {
    return database.transaction(
        connection -> {
          try (PreparedStatement update =
              connection.prepareStatement(
                  "UPDATE seat SET booked_by = ? WHERE id = ? AND booked_by IS NULL")) {
            update.setString(1, customer);
            update.setInt(2, seat);
            if (update.executeUpdate() == 0) {
              return false;
            }
          }
          gateway.call();
          return true;
        });
  }
}
