package io.txwatch.bench.nested;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.bench.nested.DependencyJudge.Snapshots;
import io.txwatch.bench.nested.DependencyJudge.Truth;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The judge tells true dependencies from false ones, and its own evaluation is the DBMS's. */
class DependencyJudgeTest {

  private static final int FILTERED_OUT = 1;
  private static final int RETURNED = 2;
  private static final int OTHER = 3;

  private final Map<Long, LoggedTransaction> log = new HashMap<>();

  /**
   * T1 reads by a CTE that lets {@link #FILTERED_OUT} and {@link #RETURNED} through and by a query
   * around it that filters the first one out. T2 changes N of both and K of a third row, then a row
   * of another table, which T1 reads afterwards.
   */
  @Test
  void aRowThatTheOuterQueryFiltersOutIsNoDependency() throws Exception {
    DependencyJudge judge = readSkew();

    assertThat(judge.judge(anomaly(rw(RETURNED), wr(RETURNED)))).isEqualTo(Truth.TRUE);
    assertThat(judge.judge(anomaly(rw(FILTERED_OUT), wr(RETURNED)))).isEqualTo(Truth.FALSE);
    assertThat(judge.judge(anomaly(rw(OTHER), wr(RETURNED)))).isEqualTo(Truth.UNDECIDED);
    assertThat(judge.judge(anomaly(rw(RETURNED), wr(FILTERED_OUT)))).isEqualTo(Truth.FALSE);
    assertThat(judge.unexplained()).isEmpty();
  }

  /** Rows of either table have each K, so no other K that a row has leads to another result. */
  @Test
  void aReturnedRowDependsOnAColumnThatEveryValuePasses() throws Exception {
    Relation table = new Relation.Table("ta");
    Condition in = new Condition.In(new Relation.Table("tb"), Column.K, false);
    Condition existsItself = new Condition.Exists(table, Column.K, false);

    assertThat(ofOverwrittenK(table, in)).isEqualTo(Truth.UNDECIDED);
    assertThat(ofOverwrittenK(table, existsItself)).isEqualTo(Truth.UNDECIDED);
    assertThat(ofOverwrittenK(new Relation.Joined(table, table, Column.K), in))
        .isEqualTo(Truth.TRUE);
  }

  @Test
  void aRowDoesNotDependOnAColumnThatIsComparedInVain() throws Exception {
    Relation table = new Relation.Table("ta");
    Condition in = new Condition.In(new Relation.Table("tb"), Column.K, false);
    Condition existsItself = new Condition.Exists(table, Column.K, false);
    Condition otherRow = new Condition.Compare(Column.ID, "=", RETURNED);
    Condition none = new Condition.Compare(Column.ID, "<", 1);
    Condition notInNone =
        new Condition.In(new Relation.Filtered(new Relation.Table("tb"), none), Column.K, true);

    assertThat(ofOverwrittenK(new Relation.Filtered(table, in), otherRow)).isEqualTo(Truth.FALSE);
    assertThat(ofOverwrittenK(new Relation.Filtered(table, existsItself), otherRow))
        .isEqualTo(Truth.FALSE);
    assertThat(ofOverwrittenK(table, notInNone)).isEqualTo(Truth.FALSE);
  }

  /** Rows 3 and 9 have the same K, so that LIMIT takes one for the other. */
  @Test
  void aReturnedRowCountsThoughAnotherOneWouldLookTheSame() throws Exception {
    Condition sameK = new Condition.Compare(Column.K, "=", OTHER);
    NestedQuery.Source first =
        new NestedQuery.Source(
            new Relation.First(new Relation.Table("ta"), sameK, 1),
            new Condition.Compare(Column.ID, "<", 10));
    NestedQuery query = NestedQuery.of(new NestedQuery.Rows(first, List.of(Column.K)));

    assertThat(ofOverwrittenK(query, OTHER)).isEqualTo(Truth.UNDECIDED);
    assertThat(ofOverwrittenK(query, OTHER + Column.VALUES_OF_K)).isEqualTo(Truth.FALSE);
  }

  /** Rows 3 and 9 have the same K, and row 3 has the greater N. */
  @Test
  void eachRowOfWhichTheGreatestIsReturnedMayCount() throws Exception {
    Relation table = new Relation.Table("ta");
    Relation none = new Relation.Filtered(table, new Condition.Compare(Column.ID, "<", 1));
    NestedQuery.Source other =
        new NestedQuery.Source(table, new Condition.Compare(Column.ID, "=", OTHER));
    NestedQuery.Source sameK =
        new NestedQuery.Source(
            new Relation.Table("tb"), new Condition.Compare(Column.K, "=", OTHER));
    NestedQuery greatest = NestedQuery.of(new NestedQuery.Greatest(sameK, table));
    NestedQuery greatestOfNone = NestedQuery.of(new NestedQuery.Greatest(other, none));

    assertThat(ofOverwrittenK(greatest, OTHER + Column.VALUES_OF_K)).isEqualTo(Truth.UNDECIDED);
    assertThat(ofOverwrittenK(greatest, OTHER)).isEqualTo(Truth.TRUE);
    assertThat(ofOverwrittenK(greatestOfNone, OTHER)).isEqualTo(Truth.FALSE);
  }

  /** Whether T1's query depends on the K of {@link #OTHER}, which T2 overwrites afterwards. */
  private Truth ofOverwrittenK(Relation from, Condition where) throws Exception {
    return ofOverwrittenK(rows(from, where), OTHER);
  }

  private Truth ofOverwrittenK(NestedQuery query, int row) throws Exception {
    log.clear();
    String url = TestServers.freshDatabase(ServerKind.H2);
    LoggedTransaction first = transaction(1);
    LoggedTransaction second = transaction(2);
    try (Connection one = DriverManager.getConnection(url)) {
      AuditedTables.create(one, ServerKind.H2);
      AuditedTables.audit(one, ServerKind.H2);
      one.setAutoCommit(false);
      try (var statement = one.createStatement()) {
        NestedLoad.query(statement, first, query);
      }
      commit(one, first);
      NestedLoad.update(
          one, second, "ta", row, List.of(Column.K, Column.VER), 5, second.nextVersion());
      commit(one, second);
      Dependency overwritten =
          new Dependency(
              1, 2, DependencyKind.RW, "ta", 0, "" + row, 1, 1, EdgeEvidence.ITEM, List.of());
      Map<Long, LoggedTransaction> all = Map.copyOf(log);
      return new DependencyJudge(all, AuditedTables.audited(one), Snapshots.OF_STATEMENTS)
          .judge(overwritten, first, second);
    }
  }

  @Test
  void comparisonsWithNullAreThoseOfTheDbms() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    try (Connection connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      AuditedTables.create(connection, ServerKind.H2);
      for (String table : AuditedTables.NAMES) {
        statement.execute("ALTER TABLE " + table + " ALTER COLUMN k DROP NOT NULL");
        statement.execute("UPDATE " + table + " SET k = NULL WHERE id IN (2, 5)");
      }
      NestedQueryGenerator generator = new NestedQueryGenerator(new Random().nextLong(), true);
      for (int i = 0; i < 500; i++) {
        NestedQuery query = generator.next();
        LoggedTransaction transaction = new LoggedTransaction(1);
        NestedLoad.query(statement, transaction, query);
        String expected = ((LoggedTransaction.Query) transaction.statements.get(0)).result();
        String actual = query.result(DependencyJudgeTest::withNulls);
        assertThat(NestedQuery.text(actual.replace("" + Column.NULL, "null").lines()))
            .as(query.sql())
            .isEqualTo(expected);
      }
    }
  }

  private static List<long[]> withNulls(String table) {
    List<long[]> rows = AuditedTables.initial(table);
    rows.stream()
        .filter(row -> row[0] == 2 || row[0] == 5)
        .forEach(row -> row[Column.K.ordinal()] = Column.NULL);
    return rows;
  }

  @Test
  void resultsThatNothingExplainsAreNotJudged() throws Exception {
    DependencyJudge judge = readSkew();
    LoggedTransaction reader = Objects.requireNonNull(log.get(1L));
    LoggedTransaction.Query query = (LoggedTransaction.Query) reader.statements.get(0);
    reader.statements.set(
        0, new LoggedTransaction.Query(query.query(), "7,7", query.started(), query.ended()));

    assertThat(judge.judge(anomaly(rw(FILTERED_OUT), wr(RETURNED)))).isEqualTo(Truth.UNDECIDED);
    assertThat(judge.unexplained()).hasSize(1);
  }

  @Test
  void everyQueryOfALoadIsExplained() throws Exception {
    NestedSoakRun.Result result =
        new NestedSoakRun(ServerKind.H2, IsolationLevel.READ_COMMITTED, "inline", "auto", false)
            .run(1, 2, 30);

    assertThat(result.complete()).isTrue();
    assertThat(result.transactions()).hasSizeGreaterThanOrEqualTo(30);
    assertThat(result.judge().unexplainedOfAll()).isEmpty();
  }

  private DependencyJudge readSkew() throws Exception {
    Relation inner =
        new Relation.Common(
            new Relation.Filtered(
                new Relation.Table("ta"), new Condition.Compare(Column.ID, "<", 9)));
    NestedQuery filtering =
        rows(inner, new Condition.Compare(Column.K, "=", RETURNED % Column.VALUES_OF_K));
    NestedQuery byKey =
        rows(new Relation.Table("tb"), new Condition.Compare(Column.ID, "=", RETURNED));
    String url = TestServers.freshDatabase(ServerKind.H2);
    LoggedTransaction first = transaction(1);
    LoggedTransaction second = transaction(2);
    try (Connection one = DriverManager.getConnection(url);
        Connection two = DriverManager.getConnection(url)) {
      AuditedTables.create(one, ServerKind.H2);
      AuditedTables.audit(one, ServerKind.H2);
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      try (var statement = one.createStatement()) {
        NestedLoad.query(statement, first, filtering);
        List<Column> number = List.of(Column.N, Column.VER);
        NestedLoad.update(two, second, "ta", FILTERED_OUT, number, 0, second.nextVersion());
        NestedLoad.update(two, second, "ta", RETURNED, number, 0, second.nextVersion());
        NestedLoad.update(
            two, second, "ta", OTHER, List.of(Column.K, Column.VER), 0, second.nextVersion());
        NestedLoad.update(two, second, "tb", RETURNED, number, 0, second.nextVersion());
        commit(two, second);
        NestedLoad.query(statement, first, byKey);
      }
      commit(one, first);
      return new DependencyJudge(log, AuditedTables.audited(one), Snapshots.OF_STATEMENTS);
    }
  }

  private static NestedQuery rows(Relation from, Condition where) {
    return NestedQuery.of(
        new NestedQuery.Rows(new NestedQuery.Source(from, where), List.of(Column.ID, Column.N)));
  }

  private LoggedTransaction transaction(long number) {
    LoggedTransaction transaction = new LoggedTransaction(number);
    log.put(number, transaction);
    return transaction;
  }

  private static void commit(Connection connection, LoggedTransaction transaction)
      throws Exception {
    transaction.commitStarted = System.nanoTime();
    connection.commit();
    transaction.commitEnded = System.nanoTime();
  }

  private static Dependency rw(int row) {
    return new Dependency(
        1, 2, DependencyKind.RW, "ta", 0, "" + row, 1, 1, EdgeEvidence.ITEM, List.of());
  }

  private static Dependency wr(int row) {
    return new Dependency(
        2, 1, DependencyKind.WR, "tb", 0, "" + row, 4, 2, EdgeEvidence.ITEM, List.of());
  }

  private static Anomaly anomaly(Dependency... cycle) {
    return new Anomaly(
        Phenomenon.READ_SKEW,
        Optional.empty(),
        Verdict.HAZARD,
        Confidence.CONFIRMED,
        new Database(new Product("H2", "2"), Map.of()),
        IsolationLevel.READ_COMMITTED,
        Stream.of(1L, 2L)
            .map(
                id ->
                    new ObservedTransaction(
                        id,
                        "session",
                        IsolationLevel.READ_COMMITTED,
                        Optional.of(Outcome.COMMITTED),
                        List.of(),
                        0,
                        LoggedTransaction.NAME + id,
                        ""))
            .toList(),
        List.of(cycle),
        "");
  }
}
