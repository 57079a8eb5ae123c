package io.txwatch.stale;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import io.txwatch.dependency.Granularity;
import io.txwatch.stale.ByValue.Source;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Random schedules of a few sessions; a judge that knows everything decides by the definition. */
class StaleWritesProperties {

  @Property
  void findsWhatTheDefinitionSays(@ForAll long seed) {
    RandomSessions sessions = new RandomSessions(seed, false);
    assertThat(found(sessions)).as(sessions.history()).isEqualTo(sessions.staleWrites());
  }

  /** MySQL and MariaDB: what an UPDATE wrote is known once somebody reads the row. */
  @Property
  void findsItLaterWhereUpdatesReturnNoRows(@ForAll long seed) {
    RandomSessions sessions = new RandomSessions(seed, true);
    Set<String> found = found(sessions);
    assertThat(sessions.staleWrites()).as(sessions.history()).containsAll(found);
    if (sessions.isShownAtTheEnd()) {
      assertThat(found).as(sessions.history()).isEqualTo(sessions.staleWrites());
    }
  }

  @Property
  void findsTheSameByValueOrLess(@ForAll long seed, @ForAll Source source) {
    RandomSessions sessions = new RandomSessions(seed, false);
    assertThat(sessions.staleWrites())
        .as(sessions.history())
        .containsAll(foundByValue(sessions, source));
  }

  /** What a transaction read that was rolled back is not known by value. */
  @Property(tries = 1)
  void findsMostByValue() {
    for (Source source : Source.values()) {
      long all = 0;
      long found = 0;
      for (long seed = 0; seed < 1000; seed++) {
        RandomSessions sessions = new RandomSessions(seed, false);
        all += sessions.staleWrites().size();
        found += foundByValue(sessions, source).size();
      }
      assertThat(found).as(source + " of " + all).isGreaterThan(all / 2);
    }
  }

  private static Set<String> foundByValue(RandomSessions sessions, Source source) {
    Set<String> found = new TreeSet<>();
    ByValue.detect(
        ByValue.events(Notation.events(sessions.history()), source),
        Across.SESSION,
        Granularity.COLUMN,
        one -> found.add(one.writer().id() + " " + ByValue.row(one.row())));
    return found;
  }

  private static Set<String> found(RandomSessions sessions) {
    Set<String> found = new TreeSet<>();
    StaleWrites detector =
        new StaleWrites(
            Across.SESSION,
            Granularity.COLUMN,
            one -> found.add(one.writer().id() + " " + (char) one.row()));
    Notation.events(sessions.history()).forEach(detector::accept);
    return found;
  }

  /** The property would hold of a detector that finds nothing if the schedules were too simple. */
  @Property(tries = 1)
  void manySchedulesHaveStaleWrites() {
    long with = 0;
    for (long seed = 0; seed < 1000; seed++) {
      with += new RandomSessions(seed, false).staleWrites().isEmpty() ? 0 : 1;
    }
    assertThat(with).isGreaterThan(100).isLessThan(900);
  }
}
