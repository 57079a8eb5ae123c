package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A customer, identified by id or by last name.
 *
 * @param id 0 if identified by name
 */
record TpcCCustomer(int warehouse, int district, int id, String name) {

  /** The id; of several customers with the name, the middle one by first name (clause 2.5.2.2). */
  int resolve(Connection connection) throws SQLException {
    if (id != 0) {
      return id;
    }
    List<Integer> found = new ArrayList<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?"
                + " ORDER BY c_first")) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      select.setString(3, name);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getInt("c_id"));
        }
      }
    }
    if (found.isEmpty()) {
      throw new IllegalStateException("no customer of the name " + name);
    }
    return found.get(found.size() / 2);
  }
}
