package io.txwatch.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved.Verdict;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements on different rows, or on different tables, that a key makes depend on each other. */
class ConstraintsTest {

  private static String outcome(Autocommitted database, String sql) {
    try {
      return "changed " + database.update(sql);
    } catch (SQLException e) {
      return "refused";
    }
  }

  @Test
  void aUniqueNameThatIsTakenForAMomentIsARace() throws Exception {
    Autocommitted database =
        new Autocommitted(
            "CREATE TABLE account (id INT PRIMARY KEY, name VARCHAR(10) UNIQUE)",
            "INSERT INTO account VALUES (1, 'a'), (2, 'b')");
    Interleaved found =
        new Interleaver()
            .operation(
                "A",
                () ->
                    outcome(database, "UPDATE account SET name = 'x' WHERE id = 1")
                        + outcome(database, "UPDATE account SET name = 'y' WHERE id = 1"))
            .operation("B", () -> outcome(database, "UPDATE account SET name = 'x' WHERE id = 2"))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @Test
  void aChildThatIsThereForAMomentIsARace() throws Exception {
    Autocommitted database = family("");
    Interleaved found =
        new Interleaver()
            .operation(
                "A",
                () ->
                    outcome(database, "INSERT INTO child VALUES (2, 2)")
                        + outcome(database, "DELETE FROM child WHERE id = 2"))
            .operation("B", () -> outcome(database, "DELETE FROM parent WHERE id = 2"))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"child", "grandchild"})
  void whatIsDeletedWithItsParentIsTouchedToo(String table) throws Exception {
    Autocommitted database = family("ON DELETE CASCADE");
    Interleaved found =
        new Interleaver()
            .operation("A", () -> database.update("DELETE FROM parent WHERE id = 1"))
            .operation(
                "B",
                () ->
                    database.number("SELECT count(*) FROM " + table)
                        + database.number("SELECT count(*) FROM " + table))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(database.number("SELECT count(*) FROM " + table)).isEqualTo(1);
  }

  private static Autocommitted family(String action) throws SQLException {
    return new Autocommitted(
        "CREATE TABLE parent (id INT PRIMARY KEY)",
        "CREATE TABLE child (id INT PRIMARY KEY, parent INT REFERENCES parent (id) " + action + ")",
        "CREATE TABLE grandchild (id INT PRIMARY KEY, child INT REFERENCES child (id) "
            + action
            + ")",
        "INSERT INTO parent VALUES (1), (2)",
        "INSERT INTO child VALUES (1, 1)",
        "INSERT INTO grandchild VALUES (1, 1)");
  }
}
