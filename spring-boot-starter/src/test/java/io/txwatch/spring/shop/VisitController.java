package io.txwatch.spring.shop;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Counts visits of items with plain JDBC, without a transaction of Spring. */
@RestController
public class VisitController {

  private final DataSource database;
  private Runnable meanwhile = () -> {};

  public VisitController(DataSource database) {
    this.database = database;
  }

  /** What the next visit does between its read and its write. */
  public void setMeanwhile(Runnable work) {
    meanwhile = work;
  }

  @GetMapping("/items/{id}/visit")
  public int visit(@PathVariable("id") long id) throws SQLException {
    Runnable now = meanwhile;
    meanwhile = () -> {};
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      ResultSet row = statement.executeQuery("SELECT n FROM visit WHERE id = " + id);
      row.next();
      int visits = row.getInt(1) + 1;
      now.run();
      statement.executeUpdate("UPDATE visit SET n = " + visits + " WHERE id = " + id);
      connection.commit();
      return visits;
    }
  }
}
