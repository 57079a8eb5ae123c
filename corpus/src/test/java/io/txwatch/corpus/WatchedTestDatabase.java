package io.txwatch.corpus;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Script.Step;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A database, prepared where tables can be, and watched at one level. It evaluates what was
 * observed of a script's steps.
 *
 * <p>A statement's event may arrive after the next step: when a deferred side read has been
 * executed, or when the transaction ends. Steps are therefore evaluated at the end of a script, and
 * an event belongs to the first step with its text that lacks one.
 */
final class WatchedTestDatabase {

  /** The observation of one statement: its event, and the gap that immediately precedes it. */
  private record Observed(Optional<Event.Gap> gap, Event.StatementExecuted statement) {}

  /** The detail of a gap if the DBMS rejected a side read. */
  private static final Pattern SIDE_READ_REJECTED =
      Pattern.compile("^a (?:side )?read\\b.* failed");

  private final ServerKind kind;
  private final Level level;
  private final String url;
  private final EventCollector collector = new EventCollector();
  private final List<Event> events = collector.events();
  private final List<Integer> firstEvents = new ArrayList<>();
  private final Pipeline pipeline = new Pipeline(Ids.ofNode(1), collector);

  private WatchedTestDatabase(ServerKind kind, Level level, String url) {
    this.kind = kind;
    this.level = level;
    this.url = url;
  }

  static WatchedTestDatabase create(ServerKind kind, Level level) throws SQLException {
    String url = DifferentialRunner.freshDatabase(kind);
    try (Connection real = DriverManager.getConnection(url);
        Statement statement = real.createStatement()) {
      for (String sql : CorpusFiles.schema(kind)) {
        statement.execute(sql);
      }
    }
    PreparationResult result = Watching.prepare(url, StatementTraits.PREPARED_TABLES);
    if (!result.complete()) {
      throw new SQLException("not prepared: " + result.failed());
    }
    return new WatchedTestDatabase(kind, level, url);
  }

  String url() {
    return url;
  }

  Connection watch(Connection real) {
    return Watching.watch(real, url, level, pipeline);
  }

  /** Discards the events of the last script. */
  void beginScript() {
    events.clear();
    firstEvents.clear();
  }

  /** Marks the beginning of the script's next step. */
  void beginStep() {
    firstEvents.add(events.size());
  }

  /**
   * Evaluates the observations of a completed script.
   *
   * @param raw the unwatched outcomes of its steps
   * @param countsVersions true if an UPDATE counts the rows that it changed
   * @return the steps that were not observed as claimed
   */
  List<Difference> evaluate(
      Script script, List<Outcome> raw, boolean countsVersions, Coverage coverage) {
    List<Step> steps = script.steps();
    List<Difference> differences = new ArrayList<>();
    List<List<Observed>> observed = new ArrayList<>();
    steps.forEach(step -> observed.add(new ArrayList<>()));
    Optional<Event.Gap> gap = Optional.empty();
    for (int at = 0, step = -1; at < events.size(); at++) {
      while (step + 1 < firstEvents.size() && firstEvents.get(step + 1) <= at) {
        step++;
      }
      if (step >= 0 && events.get(at) instanceof Event.Gap found) {
        if (found.reason() == GapReason.FAULT) {
          differences.add(difference(script, steps.get(step), "rejected", "", found.detail()));
        }
        gap = Optional.of(found).filter(g -> g.reason().isOfStatement());
      } else if (step >= 0 && events.get(at) instanceof Event.StatementExecuted statement) {
        int of = stepOf(statement, steps, observed, step);
        observed.get(of).add(new Observed(gap, statement));
        gap = Optional.empty();
      }
    }
    for (int i = 0; i < steps.size(); i++) {
      if (!raw.get(i).failed() && StatementTraits.usesOnlyPreparedTables(steps.get(i).sql())) {
        evaluate(script, steps.get(i), raw.get(i), observed.get(i), coverage)
            .filter(
                d ->
                    countsVersions
                        || !d.aspect().equals("unobserved")
                        || !StatementTraits.mayUpdate(d.sql()))
            .ifPresent(differences::add);
      }
    }
    return differences;
  }

  private static int stepOf(
      Event.StatementExecuted statement,
      List<Step> steps,
      List<List<Observed>> observed,
      int running) {
    for (int i = 0; i < running; i++) {
      Step step = steps.get(i);
      if (step.sql().equals(statement.sql())
          && observed.get(i).size() < Math.max(1, step.bindings().size())) {
        return i;
      }
    }
    return running;
  }

  private Optional<Difference> evaluate(
      Script script, Step step, Outcome raw, List<Observed> observed, Coverage coverage) {
    Optional<Event.Gap> gap = observed.stream().flatMap(o -> o.gap().stream()).findFirst();
    if (gap.isPresent() && SIDE_READ_REJECTED.matcher(gap.get().detail()).find()) {
      return Optional.of(difference(script, step, "rejected", "", gap.get().detail()));
    }
    if (gap.isPresent()) {
      boolean isPartlyObserved = observed.stream().anyMatch(o -> !o.statement().rows().isEmpty());
      coverage.notObserved(
          kind, level, gap.get().reason(), gap.get().detail(), step.sql(), isPartlyObserved);
    } else if (StatementTraits.isQueryOrWrite(step.sql())) {
      boolean isIdentifiedLater =
          observed.stream()
              .map(Observed::statement)
              .anyMatch(s -> s.kind().mayWrite() && !s.writesSeen());
      coverage.instrumented(kind, level, isIdentifiedLater);
      return unobserved(script, step, raw, observed);
    }
    return Optional.empty();
  }

  /**
   * Reports a write that claims complete observation although its rows were not and will not be
   * observed.
   */
  private Optional<Difference> unobserved(
      Script script, Step step, Outcome raw, List<Observed> observed) {
    boolean isUnobserved =
        StatementTraits.mayWrite(step.sql())
            && raw.affectedRows() > 0
            && observed.stream().allMatch(o -> o.statement().writesSeen())
            && observed.stream().map(Observed::statement).noneMatch(WatchedTestDatabase::hasWrite);
    return isUnobserved
        ? Optional.of(
            difference(
                script,
                step,
                "unobserved",
                raw.affectedRows() + " rows",
                observed.isEmpty() ? "no statement was observed" : "no row, and no reason why"))
        : Optional.empty();
  }

  private Difference difference(
      Script script, Step step, String aspect, String raw, String watched) {
    return new Difference(kind, level, script.name(), aspect, step.sql(), raw, watched, false);
  }

  private static boolean hasWrite(Event.StatementExecuted statement) {
    return statement.rows().stream().anyMatch(row -> row.access().isWrite());
  }
}
