package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.dbms.Failure;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleExecutorTest {

  private static final String BLOCKED_UPDATE =
      """
      I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 10), (2, 20)
      T1: BEGIN
      T2: BEGIN
      T1: UPDATE t SET v = v + 1 WHERE id = 1
      T2: UPDATE t SET v = v + 2 WHERE id = 1
      T2: SELECT v FROM t WHERE id = 2
      T1: COMMIT
      T2: COMMIT
      """;

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aBlockedStatementWaitsAndItsSessionFollows(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution = fixture.execute(BLOCKED_UPDATE, "RC");

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.outcomes().stream().filter(StepOutcome::blocked))
          .as(execution.toString())
          .singleElement()
          .satisfies(blocked -> assertThat(blocked.step().id()).isEqualTo(4));
      assertThat(execution.order()).containsExactly(1, 2, 3, 6, 4, 5, 7);
      assertThat(execution.finalState()).containsExactly(List.of("1,13", "2,20"));
      assertThat(execution.transactions())
          .extracting(ExecutedTransaction::session, ExecutedTransaction::committed)
          .containsExactly(
              org.assertj.core.groups.Tuple.tuple("T1", true),
              org.assertj.core.groups.Tuple.tuple("T2", true));
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aDeadlockAbortsOneSession(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
              I: INSERT INTO t VALUES (1, 10), (2, 20)
              T1: BEGIN
              T2: BEGIN
              T1: UPDATE t SET v = 11 WHERE id = 1
              T2: UPDATE t SET v = 22 WHERE id = 2
              T1: UPDATE t SET v = 21 WHERE id = 2
              T2: UPDATE t SET v = 12 WHERE id = 1
              T1: COMMIT
              T2: COMMIT
              """,
              "RC");

      assertThat(execution.undecided()).as(execution.toString()).isEmpty();
      assertThat(execution.outcomes().stream().map(StepOutcome::failure).filter(f -> f != null))
          .singleElement()
          .satisfies(failure -> assertThat(failure.endsTransaction()).isTrue())
          .satisfies(failure -> assertThat(failure.isConcurrencyRelated()).isTrue());
      assertThat(execution.transactions().stream().filter(ExecutedTransaction::committed))
          .hasSize(1);
      assertThat(execution.outcomes())
          .filteredOn(outcome -> outcome.status() == StepOutcome.Status.SKIPPED)
          .hasSize(1);
    }
  }

  /** A dirty read at READ UNCOMMITTED beside SERIALIZABLE, and none the other way round. */
  @ParameterizedTest
  @CsvSource({"SER, RU, '1,99'", "RR, RU, '1,99'", "RU, RC, '1,10'"})
  void eachSessionHasItsOwnLevel(String common, String own, String read) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              """
              # isolation-T2: %s
              I: CREATE TABLE t (id INT PRIMARY KEY, v INT) {ENGINE}
              I: INSERT INTO t VALUES (1, 10)
              T1: BEGIN
              T2: BEGIN
              T1: UPDATE t SET v = 99 WHERE id = 1
              T2: SELECT * FROM t
              T1: ROLLBACK
              T2: COMMIT
              """
                  .formatted(own),
              common);

      assertThat(Values.bag(execution.outcome(4).rows())).containsExactly(read);
    }
  }

  @Test
  void sqliteReportsBusyInsteadOfBlocking() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.SQLITE)) {
      CaseExecution execution = fixture.execute(BLOCKED_UPDATE, "SER");

      assertThat(execution.outcomes().get(3).failure())
          .isEqualTo(new Failure(Failure.Kind.BUSY, Failure.Effect.MUST_ROLL_BACK));
      assertThat(execution.finalState()).containsExactly(List.of("1,11", "2,20"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2", "SQLITE"})
  void casesAreIsolatedFromEachOther(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      String open = "I: CREATE TABLE t (v INT) {ENGINE}\nT1: BEGIN\nT1: INSERT INTO t VALUES (1)\n";
      for (int i = 0; i < 3; i++) {
        CaseExecution execution = fixture.execute(open, "SER");
        assertThat(execution.finalState()).as("rolled back at the end").containsExactly(List.of());
        assertThat(execution.transactions())
            .singleElement()
            .satisfies(transaction -> assertThat(transaction.committed()).isFalse());
      }
      assertThat(fixture.execute("T1: CREATE TABLE u (v INT)", "SER").outcomes().get(0).succeeded())
          .isTrue();
      assertThatThrownBy(() -> fixture.execute("I: CREATE TABEL t (v INT)\nT1: SELECT 1", "SER"))
          .isInstanceOf(ScheduleExecutor.SetupException.class)
          .hasMessageContaining("CREATE TABEL");
    }
  }

  /** Reused tables number their rows from one again, before concurrent and before serial cases. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void reusedTablesNumberTheirRowsLikeNewOnes(ServerKind kind) throws Exception {
    String serial =
        """
        I: CREATE TABLE t (id {AUTOINC}, v INT) {ENGINE}
        I: INSERT INTO t (v) VALUES (1), (2)
        T1: BEGIN
        T1: INSERT INTO t (v) VALUES (3)
        T1: ROLLBACK
        T1: INSERT INTO t (v) VALUES (4)
        """;
    String concurrent = serial + "T2: INSERT INTO t (v) VALUES (5)\n";
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      List<List<String>> serials = new ArrayList<>();
      List<List<String>> concurrents = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        serials.addAll(fixture.execute(serial, "RC").finalState());
        concurrents.addAll(fixture.execute(concurrent, "RC").finalState());
      }
      assertThat(serials).hasSize(3).containsOnly(serials.get(0));
      assertThat(serials.get(0)).hasSize(3).startsWith("1,1", "2,2");
      assertThat(concurrents).hasSize(3).containsOnly(concurrents.get(0));
      assertThat(concurrents.get(0)).hasSize(4).startsWith("1,1", "2,2");
    }
  }

  /**
   * A foreign key's action that has waited leaves a child out of the key's index (MariaDB up to
   * 10.11.5: MDEV-30531). The third case could reuse the first one's tables.
   */
  @Test
  void tablesWithAPossiblyCorruptIndexAreNotReused() throws Exception {
    String tables =
        """
        I: CREATE TABLE p (id INT NOT NULL PRIMARY KEY) {ENGINE}
        I: CREATE TABLE c (id INT NOT NULL PRIMARY KEY, pid INT, \
        FOREIGN KEY (pid) REFERENCES p (id) ON DELETE SET NULL) {ENGINE}
        I: INSERT INTO p VALUES (1)
        I: INSERT INTO c VALUES (1, 1)
        """;
    String breaking =
        tables
            + """
            T1: BEGIN
            T1: SELECT * FROM c LOCK IN SHARE MODE
            T2: DELETE FROM p WHERE id = 1
            T1: COMMIT
            """;
    String checking =
        tables
            + """
            T1: BEGIN
            T2: CHECK TABLE c EXTENDED
            T1: COMMIT
            """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (int i = 0; i < 5; i++) {
        assertThat(fixture.execute(breaking, "RC").hadBlocking()).isTrue();
        fixture.execute(checking, "RC");
        StepOutcome checked = fixture.execute(checking, "RC").outcome(2);
        fixture.execute(checking, "RC");

        assertThat(checked.rows())
            .as(checked.toString())
            .singleElement()
            .satisfies(row -> assertThat(row).last().isEqualTo("OK"));
      }
    }
  }

  /**
   * Two sessions wait, and MariaDB counts one: it does not count the wait of a foreign key's
   * action.
   */
  @Test
  void theWaitOfAForeignKeyActionIsNotCounted() throws Exception {
    String schedule =
        """
        I: CREATE TABLE p (id INT NOT NULL PRIMARY KEY) {ENGINE}
        I: CREATE TABLE c (id INT NOT NULL PRIMARY KEY, pid INT, \
        FOREIGN KEY (pid) REFERENCES p (id) ON DELETE SET NULL) {ENGINE}
        I: CREATE TABLE u (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO p VALUES (1)
        I: INSERT INTO c VALUES (1, 1)
        I: INSERT INTO u VALUES (1, 1)
        T1: BEGIN
        T1: SELECT * FROM c LOCK IN SHARE MODE
        T1: UPDATE u SET v = 2
        T2: DELETE FROM p
        T3: UPDATE u SET v = 3
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution = fixture.execute(schedule, "RC");

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.outcome(4).blocked()).isTrue();
      assertThat(execution.outcome(5).blocked()).isTrue();
    }
  }

  /**
   * At READ COMMITTED T2 reads each of the thousand rows that T1 has locked, and is shown as
   * waiting for it meanwhile, although none of them matches.
   */
  @Test
  void skippingLockedRowsIsNotBlocking() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t WITH RECURSIVE n (id) AS \
        (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 1000) SELECT id, 0 FROM n
        T1: BEGIN
        T1: UPDATE t SET v = 1
        T2: UPDATE t SET v = 2 WHERE v = 3
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (int i = 0; i < 10; i++) {
        CaseExecution execution = fixture.execute(schedule, "RC");

        assertThat(execution.outcome(2).updateCount()).isEqualTo(1000);
        assertThat(execution.outcome(3).blocked()).as(execution.toString()).isFalse();
        assertThat(execution.order()).containsExactly(1, 2, 3, 4);
      }
    }
  }

  /**
   * InnoDB's estimate of a table's size, which determines the join order, does not depend on
   * previous cases: otherwise a row that failed to move to a duplicate key counts twice from then
   * on.
   */
  @Test
  void reusedTablesHaveTheStatisticsOfNewOnes() throws Exception {
    String changing =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY) {ENGINE}
        I: INSERT INTO t VALUES (1), (2), (3)
        T1: SELECT table_rows FROM information_schema.tables \
        WHERE table_schema = DATABASE() AND table_name = 't'
        T2: UPDATE t SET id = 3 WHERE id = 1
        """;
    List<Object> sizes = new ArrayList<>();
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (int i = 0; i < 20; i++) {
        sizes.addAll(fixture.execute(changing, "RC").outcome(1).rows());
      }
    }
    assertThat(sizes).hasSize(20).containsOnly(sizes.get(0));
  }

  /** T1's COMMIT looks for children of the row, and awaits who has deleted one. */
  @ParameterizedTest
  @ValueSource(strings = {"RC", "RR", "SER"})
  @Timeout(60)
  void aCommitThatChecksConstraintsMayBlock(String level) throws Exception {
    String text =
        """
        I: CREATE TABLE parent (id INT PRIMARY KEY)
        I: CREATE TABLE child (parent INT REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
        I: INSERT INTO parent VALUES (1)
        I: INSERT INTO child VALUES (1)
        T1: BEGIN
        T2: BEGIN
        T1: DELETE FROM parent
        T2: DELETE FROM child
        T1: COMMIT
        T2: ROLLBACK
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution = fixture.execute(text, level);

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.outcome(5).blocked()).as("%s", execution).isTrue();
      assertThat(execution.outcome(5).succeeded()).as("a child is left").isFalse();
    }
  }
}
