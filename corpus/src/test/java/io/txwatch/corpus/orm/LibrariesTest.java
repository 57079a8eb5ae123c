package io.txwatch.corpus.orm;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.CorpusScope;
import io.txwatch.corpus.EventCollector;
import io.txwatch.corpus.Watching;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A library gets the same results raw and watched, at every level. Each build runs every library on
 * one DBMS; a larger {@link CorpusScope} runs all of them on all DBMSs.
 */
class LibrariesTest {

  private static final List<LibraryScenario> LIBRARIES =
      List.of(
          new HibernateScenario(), new JooqScenario(), new MyBatisScenario(), new JdbiScenario());

  /** The DBMS of each library in each build. */
  private static final List<ServerKind> QUICK_KINDS =
      List.of(ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.H2, ServerKind.H2);

  static Stream<Arguments> uses() {
    return TestServers.kinds()
        .filter(kind -> kind != ServerKind.SQLITE)
        .flatMap(
            kind ->
                LIBRARIES.stream()
                    .filter(
                        library ->
                            CorpusScope.requested() != CorpusScope.QUICK
                                || kind == QUICK_KINDS.get(LIBRARIES.indexOf(library)))
                    .map(
                        library ->
                            Arguments.of(kind, library.getClass().getSimpleName(), library)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("uses")
  void librarySeesTheSameWatchedAndUnwatched(ServerKind kind, String name, LibraryScenario library)
      throws Exception {
    String rawUrl = TestServers.freshDatabase(kind);
    library.create(kind, DataSources.of(() -> DriverManager.getConnection(rawUrl)));
    List<String> expected = new ArrayList<>();
    library.use(kind, DataSources.of(() -> DriverManager.getConnection(rawUrl)), expected::add);
    assertThat(expected).as("what %s sees raw", name).hasSizeGreaterThan(20);

    for (Level level : CorpusScope.requested().levels()) {
      String url = TestServers.freshDatabase(kind);
      library.create(kind, DataSources.of(() -> DriverManager.getConnection(url)));
      assertThat(Watching.prepare(url, List.of()).failed()).isEmpty();
      EventCollector events = new EventCollector();
      List<String> actual = new ArrayList<>();
      library.use(kind, watched(url, level, events), actual::add);

      assertThat(actual).as("%s at %s", name, level).isEqualTo(expected);
      assertThat(events.events())
          .as("%s at %s: no rewritten text is rejected", name, level)
          .noneMatch(e -> e instanceof Event.Gap gap && gap.reason() == GapReason.FAULT);
      List<String> observedWrites =
          events.events().stream()
              .filter(Event.StatementExecuted.class::isInstance)
              .map(Event.StatementExecuted.class::cast)
              .filter(e -> e.kind().mayWrite() && !e.rows().isEmpty())
              .map(Event.StatementExecuted::sql)
              .toList();
      assertThat(observedWrites).as("%s at %s: writes are observed", name, level).isNotEmpty();
    }
  }

  private static DataSource watched(String url, Level level, EventCollector events) {
    Pipeline pipeline = new Pipeline(Ids.ofNode(1), events);
    return DataSources.of(
        () -> Watching.watch(DriverManager.getConnection(url), url, level, pipeline));
  }
}
