package io.txwatch.corpus.orm;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.CorpusScope;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.jdbc.Watch;
import io.txwatch.prepare.Preparation;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.sql.RewritePlanner.Level;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each library sees watched what it sees raw, at every level; in each build every library with one
 * DBMS, all with all of them where more is {@linkplain CorpusScope asked for}.
 */
class LibrariesTest {

  private static final List<Library> LIBRARIES =
      List.of(new HibernateUse(), new JooqUse(), new MyBatisUse(), new JdbiUse());

  /** Where each is run in each build. */
  private static final List<ServerKind> HOME =
      List.of(ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.H2, ServerKind.H2);

  static Stream<Arguments> uses() {
    return TestServers.kinds()
        .filter(kind -> kind != ServerKind.SQLITE)
        .flatMap(
            kind ->
                LIBRARIES.stream()
                    .filter(
                        library ->
                            CorpusScope.asked() != CorpusScope.QUICK
                                || kind == HOME.get(LIBRARIES.indexOf(library)))
                    .map(
                        library ->
                            Arguments.of(kind, library.getClass().getSimpleName(), library)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("uses")
  void librarySeesTheSameWatchedAndUnwatched(ServerKind kind, String name, Library library)
      throws Exception {
    String rawUrl = TestServers.freshDatabase(kind);
    library.create(kind, Sources.of(() -> DriverManager.getConnection(rawUrl)));
    List<String> expected = new ArrayList<>();
    library.use(kind, Sources.of(() -> DriverManager.getConnection(rawUrl)), expected::add);
    assertThat(expected).as("what %s sees raw", name).hasSizeGreaterThan(20);

    for (Level level : CorpusScope.asked().levels()) {
      String url = TestServers.freshDatabase(kind);
      library.create(kind, Sources.of(() -> DriverManager.getConnection(url)));
      prepare(url);
      List<Event> events = new CopyOnWriteArrayList<>();
      List<String> actual = new ArrayList<>();
      library.use(kind, watched(url, level, events), actual::add);

      assertThat(actual).as("%s at %s", name, level).isEqualTo(expected);
      assertThat(events)
          .as("%s at %s: no rewritten text is refused", name, level)
          .noneMatch(e -> e instanceof Event.Gap gap && gap.reason() == GapReason.FAULT);
      List<String> writesOfNobody =
          events.stream()
              .filter(Event.StatementExecuted.class::isInstance)
              .map(Event.StatementExecuted.class::cast)
              .filter(e -> e.kind().mayWrite() && !e.rows().isEmpty())
              .map(Event.StatementExecuted::sql)
              .toList();
      assertThat(writesOfNobody).as("%s at %s: writes are observed", name, level).isNotEmpty();
    }
  }

  private static void prepare(String url) throws SQLException {
    try (Connection real = DriverManager.getConnection(url)) {
      Preparation preparation = Preparation.of(real, url, Duration.ofSeconds(5));
      assertThat(preparation.execute(preparation.planPrepare(List.of())).failed()).isEmpty();
    }
  }

  private static DataSource watched(String url, Level level, List<Event> events) {
    Pipeline pipeline =
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
    Settings settings =
        Settings.of(Map.of(Setting.INSTRUMENT, level.name().toLowerCase(Locale.ROOT)));
    return Sources.of(
        () ->
            Watch.connection(
                DriverManager.getConnection(url),
                url,
                "",
                () -> DriverManager.getConnection(url),
                settings,
                pipeline));
  }
}
