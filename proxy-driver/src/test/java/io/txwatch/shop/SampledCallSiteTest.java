package io.txwatch.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.SampledCallSite;
import io.txwatch.history.CallSite;
import io.txwatch.history.Event;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** An application's package, from where its statements come. */
class SampledCallSiteTest {

  private static final int OFTEN = 3000;

  /** What a text's execution at a place is callSite as. */
  private static String callSite(SampledCallSite place, String there) {
    String usual = place.usual();
    return usual.isEmpty() ? place.found(there) : usual;
  }

  @Test
  void oncePlainEachExecutionIsNotLookedUp() {
    SampledCallSite place = new SampledCallSite(false);
    int lookedUp = 0;
    for (int i = 0; i < 10 * OFTEN; i++) {
      lookedUp += callSite(place, "A.java:1").equals("A.java:1") ? 1 : 0;
    }
    assertThat(lookedUp).isBetween(1000, 5000);
  }

  @Test
  void exactMeansEach() {
    SampledCallSite place = new SampledCallSite(true);
    for (int i = 0; i < OFTEN; i++) {
      assertThat(callSite(place, "A.java:1")).isEqualTo("A.java:1");
    }
  }

  /** Wherever the text runs a second time, a line without reserve is the one that ran. */
  @Property(tries = 50)
  void reportedLineHasRun(
      @ForAll @IntRange(max = OFTEN) int from, @ForAll @IntRange(min = 1, max = 40) int oneIn) {
    SampledCallSite place = new SampledCallSite(false);
    boolean met = false;
    for (int i = 0; i < 2 * OFTEN; i++) {
      String there = i >= from && i % oneIn == 0 ? "B.java:2" : "A.java:1";
      String callSite = callSite(place, there);
      if (!callSite.equals(CallSite.usually("A.java:1"))
          && !callSite.equals(CallSite.usually("B.java:2"))) {
        assertThat(callSite).isEqualTo(there);
        met |= there.equals("B.java:2") && from > 0;
      } else {
        assertThat(met).as("looked up each time once it was met at two places").isFalse();
      }
    }
  }

  @Test
  void statementsAreReportedWithTheirLine() throws SQLException {
    TestDatabase database =
        TestDatabase.of(ServerKind.H2, "CREATE TABLE item (id INT PRIMARY KEY, qty INT)");
    try (Connection usual = database.watched();
        Connection exact =
            database.watched(database.raw(), Settings.of(Map.of(Setting.CALL_SITES, "exact")))) {
      for (Connection connection : List.of(usual, exact)) {
        for (int i = 0; i < OFTEN; i++) {
          here(connection);
          if (i == OFTEN - 100) {
            there(connection);
          }
        }
      }
    }
    List<String> sites =
        database.statements().stream().map(Event.StatementExecuted::callSite).toList();
    String here = sites.get(0);
    String there = sites.get(sites.size() - 100);
    assertThat(CallSite.place(here)).matches("SampledCallSiteTest.java:\\d+");
    assertThat(here).isNotEqualTo(there);
    assertThat(sites.subList(0, OFTEN)).contains(here, CallSite.usually(here));
    assertThat(sites.subList(OFTEN + 1, sites.size())).containsOnly(here, there);
    assertThat(sites)
        .allMatch(
            site -> site.equals(CallSite.usually(here)) || List.of(here, there).contains(site));
  }

  private static void here(Connection connection) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement("SELECT qty FROM item");
        ResultSet rows = read.executeQuery()) {
      assertThat(rows.next()).isFalse();
    }
  }

  private static void there(Connection connection) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement("SELECT qty FROM item");
        ResultSet rows = read.executeQuery()) {
      assertThat(rows.next()).isFalse();
    }
  }
}
