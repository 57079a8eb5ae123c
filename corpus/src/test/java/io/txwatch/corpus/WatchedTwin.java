package io.txwatch.corpus;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Script.Step;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.history.RowAccess;
import io.txwatch.jdbc.Watch;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.RewritePlanner.Level;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A prepared database, watched at one level, and what was observed of the last step. */
final class WatchedTwin {

  private final ServerKind kind;
  private final Level level;
  private final String url;
  private final List<Event> events = new CopyOnWriteArrayList<>();
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
        Settings.of(Map.of(Setting.INSTRUMENT, level.name().toLowerCase(Locale.ROOT))),
        pipeline);
  }

  void forget() {
    events.clear();
  }

  /**
   * Counts what was observed of a step.
   *
   * @param raw its outcome where nobody watched
   * @return how the observation falls short of what it says of itself; empty if it does not
   */
  Optional<Difference> judge(String script, Step step, Outcome raw, Coverage coverage) {
    String sql = step.sql();
    List<Event.Gap> faults =
        events(Event.Gap.class).filter(gap -> gap.reason() == GapReason.FAULT).toList();
    if (!faults.isEmpty()) {
      return Optional.of(
          new Difference(kind, level, script, "refused", sql, "", faults.get(0).detail(), false));
    }
    if (raw.failed() || !Texts.isOfPreparedTables(sql)) {
      return Optional.empty();
    }
    Optional<Event.Gap> gap =
        events(Event.Gap.class).filter(g -> g.reason().isOfStatement()).findFirst();
    if (gap.isPresent()) {
      coverage.notSeen(kind, level, gap.get().reason(), gap.get().detail(), sql, sees());
    } else if (Texts.isOfRows(sql)) {
      coverage.instrumented(kind, level);
      return unseen(script, step, raw);
    }
    return Optional.empty();
  }

  /** A write that says that all was seen, of rows that nobody saw. */
  private Optional<Difference> unseen(String script, Step step, Outcome raw) {
    List<Event.StatementExecuted> executed = events(Event.StatementExecuted.class).toList();
    boolean silent =
        Texts.mayWrite(step.sql())
            && raw.touched() > 0
            && executed.stream().allMatch(Event.StatementExecuted::writesSeen)
            && executed.stream().noneMatch(e -> e.rows().stream().anyMatch(WatchedTwin::isWrite));
    return silent
        ? Optional.of(
            new Difference(
                kind,
                level,
                script,
                "unseen",
                step.sql(),
                raw.touched() + " rows",
                executed.isEmpty() ? "no statement was observed" : "no row, and no reason why",
                false))
        : Optional.empty();
  }

  private boolean sees() {
    return events(Event.StatementExecuted.class).anyMatch(e -> !e.rows().isEmpty());
  }

  private static boolean isWrite(RowAccess row) {
    return row.access().isWrite();
  }

  private <E extends Event> java.util.stream.Stream<E> events(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast);
  }
}
