package io.txwatch.oracle;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.coverage.Coverage;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Guarantee;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Detects isolation anomalies in the dependency graph of instrumented transactions (IsoRel,
 * sections 3.3 and 3.4).
 *
 * <p>The case's statements run on watched connections. The ww, wr and rw item dependencies come
 * from the rows' writer lists (Algorithm 1), from the versions that writes report to have replaced,
 * and from the final read of all tables. Version sets give the predicate dependencies. The analyzer
 * classifies and judges the cycles.
 *
 * <p>A violation is an anomaly that the level forbids: by the documentation of the DBMS for this
 * version and these settings, or by Adya's definition of the level. Permitted anomalies are listed
 * in the verdict, but they are no violations. Anomalies that rest on an uncertain dependency are
 * not reported, with one exception: a predicate cycle at SERIALIZABLE is a violation if executions
 * prove that no serial order of the transactions gives the same results. Then one of the cycles in
 * the graph exists, whichever dependencies are uncertain.
 *
 * <p>Differences from the paper: steps are submitted in the order of the case, so executions are
 * reproducible and cases can be reduced; one freely running thread for each session is an option of
 * campaigns; deleted rows, and rows read by an aggregate or a subquery, are included; the
 * analyzer's rules decide which locking reads are exempt.
 */
public final class IsoRel implements Oracle {

  /** What no execution with a serial order shows. */
  private static final Set<Phenomenon> SERIAL = Phenomenon.proscribedAt(AdyaLevel.PL_3);

  private final Judge judge;

  /** Creates an oracle that judges by the DBMS's own promise. */
  public IsoRel() {
    this(Judge.DBMS);
  }

  /** Creates an oracle that judges by {@code judge}. */
  public IsoRel(Judge judge) {
    this.judge = judge;
  }

  @Override
  public String name() {
    return OracleKind.ISOREL.id();
  }

  @Override
  public boolean needsWatchedConnections() {
    return true;
  }

  /** A watched execution takes as long as Troc and WriteCheck together. */
  @Override
  public int mixInterval() {
    return 9;
  }

  @Override
  public OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (execution.inconclusiveReason().isPresent()) {
      return verdict(Result.UNDECIDED, execution.inconclusiveReason().get(), List.of());
    }
    Optional<String> whyUnwatchable = executor.dbms().whyUnwatchable();
    if (whyUnwatchable.isPresent()) {
      return verdict(Result.UNSUPPORTED, whyUnwatchable.get(), List.of());
    }
    if (execution.events().isEmpty()) {
      CaseExecution watched = executor.executeWatched(execution.testCase(), execution.level());
      return watched.events().isEmpty()
          ? verdict(Result.UNSUPPORTED, "connections to this DBMS cannot be watched", List.of())
          : judge(watched, executor);
    }
    List<Event> events = withSettings(execution);
    Graph byDbms = new Graph(Judge.DBMS, events);
    List<GraphAnomaly> anomalies = new ArrayList<>();
    if (!byDbms.anomalies.isEmpty()) { // the graph does not depend on the judge
      Graph byAdya = new Graph(Judge.ADYA, events);
      for (int i = 0; i < byDbms.anomalies.size(); i++) {
        Anomaly anomaly = byDbms.anomalies.get(i);
        Verdict adya = byAdya.anomalies.get(i).verdict();
        boolean isForbidden = (judge == Judge.ADYA ? adya : anomaly.verdict()) == Verdict.VIOLATION;
        anomalies.add(new GraphAnomaly(anomaly, adya, isForbidden));
      }
    }
    if (anomalies.stream().noneMatch(GraphAnomaly::isForbidden)) {
      List<GraphAnomaly> ruledOut = ruledOut(byDbms.possible, execution);
      if (!ruledOut.isEmpty()) {
        OracleVerdict serial = WriteCheck.ofAnyOrder().judge(execution, executor);
        if (serial.result() == Result.VIOLATION) {
          anomalies.addAll(ruledOut);
          return verdict(
              Result.VIOLATION,
              "%s by predicates, which %s rules out: %s"
                  .formatted(list(ruledOut), who(execution.level()), serial.reason()),
              anomalies);
        }
      }
    }
    return verdict(byDbms.coverage, anomalies, execution.level());
  }

  /** The possible anomalies, as violations, that cannot be if a serial order exists. */
  private List<GraphAnomaly> ruledOut(List<Anomaly> possible, CaseExecution execution) {
    List<GraphAnomaly> ruledOut = new ArrayList<>();
    if (execution.level() != IsolationLevel.SERIALIZABLE
        || execution.testCase().mixesLevels(execution.level())) {
      return ruledOut;
    }
    for (Anomaly anomaly : possible) {
      boolean byAdya = SERIAL.contains(anomaly.phenomenon());
      boolean byDbms =
          Guarantee.of(anomaly.database(), execution.level())
              .prevents()
              .contains(anomaly.phenomenon());
      if (judge == Judge.ADYA ? byAdya : byDbms) {
        Verdict adya = byAdya ? Verdict.VIOLATION : Verdict.HAZARD;
        ruledOut.add(
            new GraphAnomaly(byDbms ? anomaly.with(Verdict.VIOLATION) : anomaly, adya, true));
      }
    }
    return ruledOut;
  }

  private String who(IsolationLevel level) {
    return judge == Judge.ADYA ? AdyaLevel.of(level).term() : "the DBMS";
  }

  /** The events; the sessions' databases have the settings of the case. */
  private static List<Event> withSettings(CaseExecution execution) {
    Map<String, String> settings = execution.testCase().settings();
    return execution.events().stream()
        .map(
            event ->
                event instanceof Event.SessionOpened o
                    ? new Event.SessionOpened(o.session(), o.name(), o.database().with(settings))
                    : event)
        .toList();
  }

  private OracleVerdict verdict(
      Coverage coverage, List<GraphAnomaly> anomalies, IsolationLevel level) {
    List<GraphAnomaly> forbidden = anomalies.stream().filter(GraphAnomaly::isForbidden).toList();
    if (!forbidden.isEmpty()) {
      return verdict(
          Result.VIOLATION, list(forbidden) + ", which " + who(level) + " rules out", anomalies);
    }
    if (!anomalies.isEmpty()) {
      return verdict(Result.CLEAN, "permitted at this level: " + list(anomalies), anomalies);
    }
    return coverage.rowsRead() + coverage.rowsWritten() == 0
        ? verdict(Result.UNSUPPORTED, "no reads or writes of rows were observed", anomalies)
        : verdict(Result.CLEAN, "no cycle in the graph", anomalies);
  }

  private OracleVerdict verdict(Result result, String reason, List<GraphAnomaly> anomalies) {
    return new OracleVerdict(name(), result, reason, Optional.empty(), anomalies);
  }

  private static String list(List<GraphAnomaly> anomalies) {
    return anomalies.stream()
        .map(GraphAnomaly::describe)
        .collect(Collectors.toCollection(TreeSet::new))
        .stream()
        .collect(Collectors.joining(", "));
  }

  /** The anomalies of a sequence of events. */
  private static final class Graph {
    private final List<Anomaly> anomalies = new ArrayList<>();
    private final List<Anomaly> possible = new ArrayList<>();
    private final Coverage coverage;

    Graph(Judge judge, List<Event> events) {
      try (Analyzer analyzer = new Analyzer(judge, this::add, Granularity.ROW)) {
        events.forEach(analyzer::accept);
        analyzer.close();
        coverage = analyzer.coverage();
      }
    }

    /** A deadlock is no anomaly of isolation. */
    private void add(Anomaly anomaly) {
      if (anomaly.verdict() != Verdict.DEADLOCK) {
        (anomaly.possible() ? possible : anomalies).add(anomaly);
      }
    }
  }
}
