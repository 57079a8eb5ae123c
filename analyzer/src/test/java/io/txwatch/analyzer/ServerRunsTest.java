package io.txwatch.analyzer;

import static io.txwatch.analyzer.Notation.findings;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Interleavings;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that crashes and loses commits that it had acknowledged. Whatever relates transactions
 * of the run before with transactions of the run after, it is no anomaly.
 */
class ServerRunsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "w9(x0) c9 r1(x9) w1(x9) c1 r2(x9) w2(x9) c2", // lost update
        "w9(x0) c9 w1(x9) c1 w2(x9) c2", // two next versions of one
        "w1(x0) w1(y0) c1 r2(x1,y0) c2", // fractured read
        "r1(x0) w1(y0) c1 r2(y0) w2(x0) c2", // write skew
        "w1(x0) a1 r2(x1) c2" // aborted read
      })
  void runsAreNotRelated(String history) {
    assertThat(findings(history)).isNotEmpty();
    assertThat(findings("9^a 1^a 2^b " + history)).isEmpty();
  }

  @Test
  void eachRunIsJudged() {
    String before = "1^a 2^a r1(x0) r2(x0) w1(x0) c1 w2(x1) c2 ";
    String after = "3^b 4^b r3(x0) r4(x0) w3(x0) c3 w4(x3) c4";
    assertThat(findings(before + after))
        .containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2", "LOST_UPDATE 4-rw(x)>3-ww(x)>4");
  }

  @Test
  void versionThatSurvivedTheCrashIsReadAfterIt() {
    String before = "1^a r1(x0) w1(x0) c1 ";
    String after = "3^b 4^b r3(x1) r4(x1) w3(x1) c3 w4(x3) c4";
    assertThat(findings(before + after)).containsExactly("LOST_UPDATE 4-rw(x)>3-ww(x)>4");
  }

  /** Each run is serial, but the second starts from a state that some commits are missing from. */
  @Property
  void serialRunsHaveNoAnomaly(@ForAll long seed) {
    Random random = new Random(seed);
    List<Event> history = serialWithCrash(random, "a", "b");
    assertThat(Notation.analyzed(history)).isEmpty();
    assertThat(Notation.analyzed(Interleavings.reordered(history, random))).isEmpty();
  }

  /** The simulation loses what it should. */
  @Test
  void crashThatIsNotRecognizedLooksLikeAnomalies() {
    long seeds = 0;
    for (long seed = 0; seed < 100; seed++) {
      if (!Notation.analyzed(serialWithCrash(new Random(seed), "", "")).isEmpty()) {
        seeds++;
      }
    }
    assertThat(seeds).isGreaterThan(50);
  }

  private static List<Event> serialWithCrash(Random random, String before, String after) {
    List<Event> events = new ArrayList<>();
    String[] rows = new String[3];
    Arrays.fill(rows, "");
    List<String[]> states = new ArrayList<>();
    states.add(rows.clone());
    long id = 0;
    for (int i = 0; i < 8; i++) {
      execute(++id, before, rows, random, events);
      states.add(rows.clone());
    }
    rows = states.get(random.nextInt(states.size())).clone();
    for (int i = 0; i < 8; i++) {
      execute(++id, after, rows, random, events);
    }
    return events;
  }

  private static void execute(
      long id, String run, String[] rows, Random random, List<Event> events) {
    events.add(new Event.SessionOpened(id, "s" + id, Notation.POSTGRESQL.in(run)));
    events.add(new Event.TransactionBegan(id, id, IsolationLevel.SERIALIZABLE, 0));
    int statements = 1 + random.nextInt(4);
    for (int number = 1; number <= statements; number++) {
      int row = random.nextInt(rows.length);
      boolean write = random.nextBoolean();
      if (write) {
        rows[row] += WriterToken.of(id, number);
      }
      RowAccess access =
          new RowAccess(
              write ? Access.UPDATE : Access.READ,
              "t",
              row,
              WriterList.ofColumn(
                  rows[row].substring(Math.max(0, rows[row].length() - WriterList.WINDOW_LENGTH))));
      StatementKind kind = write ? StatementKind.UPDATE : StatementKind.SELECT;
      events.add(
          new Event.StatementExecuted(
              id, id, number, kind, kind.name(), "", List.of(access), true, null));
    }
    events.add(new Event.TransactionEnded(id, id, Outcome.COMMITTED, 0, statements + 1));
  }
}
