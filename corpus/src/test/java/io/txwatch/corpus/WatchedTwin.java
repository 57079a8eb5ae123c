package io.txwatch.corpus;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Script.Step;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import io.txwatch.jdbc.Watch;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.RewritePlanner.Level;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * A prepared database, watched at one level, and what was observed of a script's steps.
 *
 * <p>A statement's event may come after the application went on: when a read that was put off is
 * done, or when the transaction ends. So steps are judged at the end of a script, and an event
 * belongs to the first step of its text that still lacks one.
 */
final class WatchedTwin {

  /** The observation of one statement: its event, and the gap that immediately precedes it. */
  private record Observed(Optional<Event.Gap> gap, Event.StatementExecuted statement) {}

  /** How a gap begins where the DBMS refused a text of ours that stands beside the statement. */
  private static final String READ_REFUSED = "a read beside it failed";

  private final ServerKind kind;
  private final Level level;
  private final String url;
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final List<Integer> firstEvents = new ArrayList<>();
  private final Set<Event> identifiedByTheirRow = new HashSet<>();
  private final Pipeline pipeline =
      new Pipeline(
          Ids.ofNode(1),
          new EventSink() {
            @Override
            public void accept(Event event) {
              events.add(event);
            }

            @Override
            public void close() {}
          });

  private WatchedTwin(ServerKind kind, Level level, String url) {
    this.kind = kind;
    this.level = level;
    this.url = url;
  }

  static WatchedTwin create(ServerKind kind, Level level) throws SQLException {
    String url = Twins.freshDatabase(kind);
    try (Connection real = DriverManager.getConnection(url);
        Statement statement = real.createStatement()) {
      for (String sql : CorpusFiles.schema(kind)) {
        statement.execute(sql);
      }
      Preparation preparation = Preparation.of(real, url, Duration.ofSeconds(5));
      PreparationResult result = preparation.execute(preparation.planPrepare(Texts.TABLES));
      if (!result.complete()) {
        throw new SQLException("not prepared: " + result.failed());
      }
    }
    return new WatchedTwin(kind, level, url);
  }

  String url() {
    return url;
  }

  Connection watch(Connection real) {
    return Watch.connection(
        real,
        url,
        "",
        () -> DriverManager.getConnection(url),
        Settings.of(
            Map.of(
                Setting.INSTRUMENT,
                level.name().toLowerCase(Locale.ROOT),
                Setting.REDACT,
                "false")),
        pipeline);
  }

  /** A script begins. */
  void forget() {
    events.clear();
    firstEvents.clear();
    identifiedByTheirRow.clear();
  }

  /** The script's next step begins. */
  void next() {
    firstEvents.add(events.size());
  }

  /**
   * After an autocommitted step: an UPDATE without RETURNING is identified when its row is next
   * read. So exactly one row must contain its token.
   *
   * @param real a connection that is not watched
   */
  void checkWriterTokens(Connection real) throws SQLException {
    if (kind != ServerKind.POSTGRESQL || level != Level.INLINE || !real.getAutoCommit()) {
      return;
    }
    for (Event event : events.subList(firstEvents.get(firstEvents.size() - 1), events.size())) {
      if (event instanceof Event.StatementExecuted executed
          && executed.succeeded()
          && executed.kind() == StatementKind.UPDATE
          && executed.rows().isEmpty()
          && executed.writesSeen()
          && rowsWrittenBy(executed, real) == 1) {
        identifiedByTheirRow.add(executed);
      }
    }
  }

  private static int rowsWrittenBy(Event.StatementExecuted executed, Connection real)
      throws SQLException {
    String token = WriterToken.of(executed.transaction(), executed.statement());
    String sql =
        Texts.TABLES.stream()
            .map(table -> "SELECT 1 FROM " + table + " WHERE strpos(txw_wl, '" + token + "') > 0")
            .collect(Collectors.joining(" UNION ALL ", "SELECT count(*) FROM (", ") AS written"));
    try (Statement statement = real.createStatement();
        ResultSet count = statement.executeQuery(sql)) {
      count.next();
      return count.getInt(1);
    }
  }

  /**
   * Evaluates the observations of a completed script.
   *
   * @param raw the outcomes of its steps where nobody watched
   * @param countsVersions true if the count of an UPDATE is that of the rows that it changed
   * @return where the observation falls short of what it says of itself
   */
  List<Difference> judge(
      Script script, List<Outcome> raw, boolean countsVersions, Coverage coverage) {
    List<Step> steps = script.statements();
    List<Difference> differences = new ArrayList<>();
    List<List<Observed>> observed = new ArrayList<>();
    steps.forEach(step -> observed.add(new ArrayList<>()));
    Optional<Event.Gap> gap = Optional.empty();
    for (int at = 0, step = -1; at < events.size(); at++) {
      while (step + 1 < firstEvents.size() && firstEvents.get(step + 1) <= at) {
        step++;
      }
      if (step >= 0 && events.get(at) instanceof Event.Gap told) {
        if (told.reason() == GapReason.FAULT) {
          differences.add(difference(script, steps.get(step), "refused", "", told.detail()));
        }
        gap = Optional.of(told).filter(g -> g.reason().isOfStatement());
      } else if (step >= 0 && events.get(at) instanceof Event.StatementExecuted statement) {
        int of = stepOf(statement, steps, observed, step);
        observed.get(of).add(new Observed(gap, statement));
        gap = Optional.empty();
      }
    }
    for (int i = 0; i < steps.size(); i++) {
      if (!raw.get(i).failed() && Texts.isOfPreparedTables(steps.get(i).sql())) {
        judge(script, steps.get(i), raw.get(i), observed.get(i), coverage)
            .filter(d -> countsVersions || !d.what().equals("unseen") || !Texts.updates(d.sql()))
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

  private Optional<Difference> judge(
      Script script, Step step, Outcome raw, List<Observed> observed, Coverage coverage) {
    Optional<Event.Gap> gap = observed.stream().flatMap(o -> o.gap().stream()).findFirst();
    if (gap.isPresent() && gap.get().detail().startsWith(READ_REFUSED)) {
      return Optional.of(difference(script, step, "refused", "", gap.get().detail()));
    }
    if (gap.isPresent()) {
      boolean sees = observed.stream().anyMatch(o -> !o.statement().rows().isEmpty());
      coverage.notSeen(kind, level, gap.get().reason(), gap.get().detail(), step.sql(), sees);
    } else if (Texts.isOfRows(step.sql())) {
      boolean later =
          observed.stream()
              .map(Observed::statement)
              .anyMatch(
                  s -> identifiedByTheirRow.contains(s) || s.kind().mayWrite() && !s.writesSeen());
      coverage.instrumented(kind, level, later);
      return unseen(script, step, raw, observed);
    }
    return Optional.empty();
  }

  /**
   * Reports a write that claims complete observation although its rows were not and will not be
   * observed.
   */
  private Optional<Difference> unseen(
      Script script, Step step, Outcome raw, List<Observed> observed) {
    boolean silent =
        Texts.mayWrite(step.sql())
            && raw.touched() > 0
            && observed.stream().allMatch(o -> o.statement().writesSeen())
            && observed.stream()
                .map(Observed::statement)
                .noneMatch(s -> hasWrite(s) || identifiedByTheirRow.contains(s));
    return silent
        ? Optional.of(
            difference(
                script,
                step,
                "unseen",
                raw.touched() + " rows",
                observed.isEmpty() ? "no statement was observed" : "no row, and no reason why"))
        : Optional.empty();
  }

  private Difference difference(Script script, Step step, String what, String raw, String watched) {
    return new Difference(kind, level, script.name(), what, step.sql(), raw, watched, false);
  }

  private static boolean hasWrite(Event.StatementExecuted statement) {
    return statement.rows().stream().anyMatch(row -> row.access().isWrite());
  }
}
