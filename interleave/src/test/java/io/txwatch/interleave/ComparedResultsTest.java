package io.txwatch.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved.Verdict;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which results an order is compared with. */
class ComparedResultsTest {

  private Autocommitted database;

  @BeforeEach
  void create() throws Exception {
    database =
        new Autocommitted(
            "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
            "CREATE TABLE log (id INT PRIMARY KEY)",
            "INSERT INTO stock VALUES (1, 0)");
  }

  /** Changes a row, and changes it back. */
  private Object forAMoment() throws Exception {
    database.update("UPDATE stock SET n = 1 WHERE id = 1");
    return database.update("UPDATE stock SET n = 0 WHERE id = 1");
  }

  private Interleaved beside(Callable<?> first, Callable<?> second) throws Exception {
    return new Interleaver().operation("A", first).operation("B", second).run();
  }

  @Test
  void whatTheOthersReturnIsComparedIfAnOperationThrows() throws Exception {
    Interleaved found =
        beside(
            () -> {
              forAMoment();
              throw new IllegalStateException("refused");
            },
            () -> database.number("SELECT n FROM stock WHERE id = 1"));
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @Test
  void aTableThatALaterOrderIsTheFirstToTouchIsNoDifference() throws Exception {
    Interleaved found =
        beside(
            this::forAMoment,
            () -> {
              if (database.number("SELECT n FROM stock WHERE id = 1") == 1) {
                database.number("SELECT count(*) FROM log");
              }
              return "read";
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }

  @Test
  void aTableThatALaterOrderIsTheFirstToChangeIsADifference() throws Exception {
    Interleaved found =
        beside(
            this::forAMoment,
            () -> {
              if (database.number("SELECT n FROM stock WHERE id = 1") == 1) {
                database.update("INSERT INTO log VALUES (1)");
              }
              return "read";
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(database.number("SELECT count(*) FROM log")).isZero();
  }

  /** Takes the row if no other operation has. */
  private boolean take() throws Exception {
    return database.update("UPDATE stock SET n = 1 WHERE id = 1 AND n = 0") == 1;
  }

  @Test
  void aResultThatDiffersInEveryExecutionDoesSoInEachOrder() throws Exception {
    Callable<?> take = () -> take() ? Optional.of(new Object()) : Optional.empty();
    Interleaved found = beside(take, take);
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(found.notes())
        .contains(
            "what B returns differs when the same order is executed again: only whether it returns"
                + " something is compared");
  }

  @Test
  void whetherAnOperationReturnsSuchAResultIsCompared() throws Exception {
    Callable<?> take =
        () -> {
          if (database.number("SELECT n FROM stock WHERE id = 1") == 1) {
            return null;
          }
          database.update("UPDATE stock SET n = 1 WHERE id = 1");
          return new Object();
        };
    Interleaved found = beside(take, take);
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @Test
  void aRowThatDiffersInEveryExecutionMayBeWrittenInOneOrderOnly() throws Exception {
    database.update("CREATE TABLE token (what VARCHAR(99))");
    Interleaved found =
        beside(
            this::take,
            () ->
                take()
                    ? database.update("INSERT INTO token VALUES ('" + UUID.randomUUID() + "')")
                    : 0);
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }

  @Test
  void theElementsOfAnArrayAreCompared() throws Exception {
    Interleaved found =
        beside(
            () ->
                new int[] {
                  database.number("SELECT n FROM stock WHERE id = 1"),
                  database.number("SELECT n FROM stock WHERE id = 1")
                },
            () -> database.update("UPDATE stock SET n = 1 WHERE id = 1"));
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @Test
  void aRowGetsTheKeyThatAnotherOperationReads() throws Exception {
    Interleaved found =
        beside(
            () ->
                database.number("SELECT count(*) FROM stock WHERE id = 2")
                    + database.number("SELECT count(*) FROM stock WHERE id = 2"),
            () -> database.update("UPDATE stock SET id = 2 WHERE id = 1"));
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @Test
  void aResetThatRestoresNothingIsNamed() throws Exception {
    Callable<?> add = () -> database.update("UPDATE stock SET n = n + 1 WHERE id = 1");
    Interleaved found =
        new Interleaver().operation("A", add).operation("B", add).reset(() -> {}).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).startsWith("the reset does not restore STOCK:");
  }

  /** Clocks and random values are others each time. */
  @Test
  void aResetMayInsertItsRowsAnew() throws Exception {
    database.update("CREATE TABLE item (n INT, at TIMESTAMP, token VARCHAR(99))");
    Callable<?> add = () -> database.update("UPDATE item SET n = n + 1, at = NOW()");
    Interleaved found =
        new Interleaver().operation("A", add).operation("B", add).reset(this::anItem).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }

  private void anItem() {
    try {
      database.update("DELETE FROM item");
      database.update("INSERT INTO item VALUES (0, NOW(), '" + UUID.randomUUID() + "')");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aResetThatLeavesARowIsNamed() throws Exception {
    database.update("CREATE TABLE event (n INT)");
    Callable<?> add = () -> database.update("INSERT INTO event VALUES (1)");
    Interleaved found =
        new Interleaver().operation("A", add).operation("B", add).reset(() -> {}).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).startsWith("the reset does not restore EVENT:");
  }
}
