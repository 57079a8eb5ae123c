package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.guarantee.Measure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.JdbcCallStyle;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each measure that is advised is applied to a schedule that shows its anomaly: the advice contains
 * it, and with it the same schedule commits what some serial order of the committed transactions
 * does; a constraint gives an application an error. The same for each level that is advised. A new
 * measure does not compile without a schedule.
 */
class MeasuresAppliedTest {

  private static final String READ = "SELECT v FROM t WHERE id=1";

  /**
   * A schedule, {@code T1: statement} each, joined by {@code |}; without BEGIN and COMMIT at the
   * first and last statement of a session.
   *
   * @param setup a definition that the measure adds; empty if it adds none
   * @param applied the schedule with the measure; empty if all its SELECTs lock; on SQLite, its
   *     transactions begin IMMEDIATE
   */
  private record Example(String schedule, String setup, String applied) {

    static Example locked(String schedule) {
      return new Example(schedule, "", "");
    }

    static Example rewritten(String schedule, String applied) {
      return new Example(schedule, "", applied);
    }

    boolean locks() {
      return applied.isEmpty();
    }

    TestCase unprotected(String name) throws Exception {
      return parse(name, "", "BEGIN", schedule);
    }

    TestCase withMeasure(String name, TestedDbms on) throws Exception {
      if (!locks()) {
        return parse(name, setup, "BEGIN", applied);
      }
      return on.locksAtBegin()
          ? parse(name, setup, "BEGIN IMMEDIATE", schedule)
          : parse(
              name,
              setup,
              "BEGIN",
              Stream.of(schedule.split("\\|"))
                  .map(step -> step.contains("SELECT") ? step + " FOR UPDATE" : step)
                  .collect(Collectors.joining("|")));
    }
  }

  private static Example example(Measure measure) {
    String lost = "T1:" + READ + "|T2:" + READ + "|T1:UPDATE t SET v=11 WHERE id=1|T1:COMMIT|T2:";
    String computed = "UPDATE t SET v=v-10 WHERE id=1";
    return switch (measure) {
      case LOCK_READ -> Example.locked(lost + "UPDATE t SET v=12 WHERE id=1");
      case COMPUTE_IN_UPDATE ->
          Example.rewritten(
              lost + "UPDATE t SET v=12 WHERE id=1",
              "T1:UPDATE t SET v=v+1 WHERE id=1|T2:UPDATE t SET v=v+2 WHERE id=1|T1:COMMIT");
      case COMPUTE_REST_IN_UPDATE ->
          Example.rewritten(
              lost + "UPDATE t SET v=v+1, w=5 WHERE id=1",
              "T1:UPDATE t SET v=11 WHERE id=1|T2:UPDATE t SET v=v+1, w=w+5 WHERE id=1|T1:COMMIT");
      case CONDITION_IN_UPDATE ->
          Example.rewritten(
              lost + computed,
              "T1:" + computed + " AND v>=10|T2:" + computed + " AND v>=10|T1:COMMIT");
      case LOCK_WHAT_ELSE_IS_READ -> Example.locked(lost + computed + " AND v>=10");
      case CONDITION_IN_DELETE ->
          Example.rewritten(
              lost + "DELETE FROM t WHERE id=1",
              "T1:UPDATE t SET v=11 WHERE id=1|T2:DELETE FROM t WHERE id=1 AND v=10|T1:COMMIT");
      case LOCK_DECISION ->
          Example.locked(
              "T1:SELECT v FROM t WHERE id=1|T2:SELECT v FROM t WHERE id=2"
                  + "|T1:UPDATE t SET v=0 WHERE id=2|T1:COMMIT|T2:UPDATE t SET v=0 WHERE id=1");
      case CONSTRAINT -> new Example(added(), "CREATE UNIQUE INDEX once ON t (g, v)", added());
      case WRITE_REPRESENTATIVE -> {
        String write = "UPDATE t SET w=w+1 WHERE id=2";
        yield Example.rewritten(added(), "T1:" + write + "|T2:" + write + "|" + added());
      }
      case LOCK_READS_OF_WRITER ->
          Example.locked(
              "T1:SELECT v FROM t WHERE id=1|T2:UPDATE t SET v=11 WHERE id=1"
                  + "|T2:UPDATE t SET v=21 WHERE id=2|T2:COMMIT|T1:SELECT v FROM t WHERE id=2"
                  + "|T1:UPDATE t SET v=5 WHERE id=3");
      case LOCK_READS_OF_BOTH ->
          Example.locked(
              "T2:SELECT v FROM t WHERE id=3|T1:SELECT v FROM t WHERE id=1"
                  + "|T2:UPDATE t SET v=11 WHERE id=1|T2:UPDATE t SET v=21 WHERE id=2|T2:COMMIT"
                  + "|T1:SELECT v FROM t WHERE id=2|T1:UPDATE t SET v=5 WHERE id=3");
      case LOCK_ALL_READS ->
          Example.locked(
              "T1:SELECT v FROM t WHERE id=1|T2:UPDATE t SET v=11 WHERE id=1|T2:COMMIT"
                  + "|T3:SELECT v FROM t WHERE id=1|T3:UPDATE t SET v=22 WHERE id=2|T3:COMMIT"
                  + "|T1:SELECT v FROM t WHERE id=2|T1:UPDATE t SET v=5 WHERE id=3");
      case LEVEL ->
          Example.locked(
              "T1:SELECT v FROM t WHERE id=1|T2:UPDATE t SET v=11 WHERE id=1|T2:COMMIT"
                  + "|T1:SELECT v FROM t WHERE id=1");
    };
  }

  /** Both look for the same reservation, find none, and add it. */
  private static String added() {
    return "T1:SELECT id FROM t WHERE g=7|T2:SELECT id FROM t WHERE g=7"
        + "|T1:INSERT INTO t (id, v, w, g) VALUES (4,7,0,7)|T1:COMMIT"
        + "|T2:INSERT INTO t (id, v, w, g) VALUES (5,7,0,7)|T2:COMMIT";
  }

  private static TestCase parse(String name, String setup, String begin, String schedule)
      throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add(
        "I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT NOT NULL, w INT NOT NULL,"
            + " g INT NOT NULL) {ENGINE}");
    lines.add("I: INSERT INTO t (id, v, w, g) VALUES (1,10,0,1),(2,20,0,1),(3,30,0,1)");
    if (!setup.isEmpty()) {
      lines.add("I: " + setup);
    }
    List<String> steps = List.of(schedule.split("\\|"));
    List<String> sessions = steps.stream().map(step -> step.substring(0, 2)).distinct().toList();
    sessions.forEach(session -> lines.add(session + ": " + begin));
    steps.forEach(step -> lines.add(step.replaceFirst(":", ": ")));
    for (String session : sessions) {
      if (!steps.contains(session + ":COMMIT")) {
        lines.add(session + ": COMMIT");
      }
    }
    lines.add("F: SELECT id, v, w FROM t ORDER BY id");
    return CaseReader.parse(name, String.join("\n", lines));
  }

  @TestFactory
  Stream<DynamicTest> preventsWhatItIsAdvisedOn(@TempDir Path folder) {
    return TestServers.kinds()
        .map(kind -> DynamicTest.dynamicTest(kind.name(), () -> check(kind, folder)));
  }

  private static void check(ServerKind kind, Path folder) throws Exception {
    List<String> faults = new ArrayList<>();
    try (TestedDbms dbms =
        kind == ServerKind.SQLITE ? TestedDbms.sqliteWithSharedCache() : new TestedDbms(kind)) {
      for (Measure measure : Measure.values()) {
        boolean levelsPreventIt = kind != ServerKind.H2;
        if (measure == Measure.LOCK_ALL_READS && levelsPreventIt) {
          continue;
        }
        for (IsolationLevel level : advisedAt(kind)) {
          check(dbms, measure, level, folder, faults);
        }
      }
    }
    assertThat(faults).isEmpty();
  }

  /**
   * READ COMMITTED, and REPEATABLE READ of each kind; all that H2 has, for it promises little at
   * any of them. MySQL's are MariaDB's, and slow. SQLite's sessions read uncommitted rows in a
   * shared cache, and are serializable otherwise.
   */
  private static List<IsolationLevel> advisedAt(ServerKind kind) {
    return switch (kind) {
      case MYSQL -> List.of(IsolationLevel.READ_COMMITTED);
      case SQLITE -> List.of(IsolationLevel.READ_UNCOMMITTED);
      case H2 -> IsolationLevel.known();
      default -> List.of(IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ);
    };
  }

  private static void check(
      TestedDbms dbms, Measure measure, IsolationLevel at, Path folder, List<String> faults)
      throws Exception {
    String name = String.join("-", measure.name(), at.name(), dbms.name());
    Example example = example(measure);
    TestCase plain = example.unprotected(name);
    Path files = Files.createDirectory(folder.resolve(name));
    Watched watched = new Watched(files, Map.of("txwatch.instrument", "predicates"));
    ScenarioRun run;
    try (watched) {
      run = dbms.run(plain, at, JdbcCallStyle.SQL_TEXT, watched);
    }
    IsolationLevel showsAll =
        dbms.locksAtBegin() ? IsolationLevel.READ_UNCOMMITTED : IsolationLevel.READ_COMMITTED;
    if (at != showsAll && (hasFailed(run) || dbms.serialOrders().explain(plain, run))) {
      return;
    }
    assertThat(dbms.serialOrders().explain(plain, run)).as("%s", run).isFalse();
    String advice = adviceOn(watched);
    boolean isAdvised = advice.contains(measure.text());
    boolean isForPhantoms =
        measure == Measure.CONSTRAINT || measure == Measure.WRITE_REPRESENTATIVE;
    boolean findsPhantoms = !dbms.locksAtBegin(); // reads at READ UNCOMMITTED have no snapshot
    if (!isAdvised && at == showsAll && (findsPhantoms || !isForPhantoms)) {
      faults.add(name + " is not advised: " + advice);
    }
    if (isAdvised && measure != Measure.LEVEL) {
      String lock = dbms.locksAtBegin() ? "BEGIN IMMEDIATE" : "FOR UPDATE";
      if (example.locks() && !advice.contains(lock)) {
        faults.add(name + " is advised without " + lock + ": " + advice);
      }
      TestCase applied = example.withMeasure(name + "-applied", dbms);
      if (measure == Measure.CONSTRAINT) {
        assertThat(hasFailed(dbms.run(applied, at, JdbcCallStyle.SQL_TEXT))).as(name).isTrue();
      } else {
        prevented(dbms, applied, at, name, faults);
      }
    }
    for (IsolationLevel level : IsolationLevel.known()) {
      if (advice.contains(" at " + level.words())) {
        prevented(dbms, plain, level, name + " by " + level, faults);
      }
    }
  }

  /** All advice on what is found in its history. */
  private static String adviceOn(Watched watched) throws Exception {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      watched.forEachEvent(analyzer::accept);
    }
    return String.join("\n", found.stream().map(Anomaly::advice).toList());
  }

  private static void prevented(
      TestedDbms dbms, TestCase applied, IsolationLevel level, String name, List<String> faults)
      throws Exception {
    ScenarioRun run = dbms.run(applied, level, JdbcCallStyle.SQL_TEXT);
    if (!dbms.serialOrders().explain(applied, run)) {
      faults.add(name + " does not prevent it:\n" + run);
    }
  }

  private static boolean hasFailed(ScenarioRun run) {
    return run.execution().outcomes().stream()
        .anyMatch(outcome -> outcome.status() == StepOutcome.Status.ERROR);
  }
}
