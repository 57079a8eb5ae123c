package io.txwatch.stale;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import io.txwatch.dependency.Granularity;
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
