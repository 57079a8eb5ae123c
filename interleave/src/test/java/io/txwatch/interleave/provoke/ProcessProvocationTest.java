package io.txwatch.interleave.provoke;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.Gates;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where no gate is installed. */
class ProcessProvocationTest {

  private static final String ELSEWHERE = "jdbc:h2:tcp://db.example.com/shop";
  private static final String HERE = "jdbc:h2:mem:shop";

  private static List<String> start(Map<Setting, String> settings, String place) {
    List<String> log = new ArrayList<>();
    Database database = new Database(new Product("H2", "2.4.240"), Map.of(), place);
    new ProcessProvocation().start(Settings.of(settings), database, log::add);
    return log;
  }

  @Test
  void databaseThatIsNotForTestsIsLeftAlone() {
    assertThat(start(Map.of(), ELSEWHERE))
        .containsExactly(
            "off for "
                + ELSEWHERE
                + ", which does not look like a database for tests: if it is one, set"
                + " txwatch.test-database to a part of this URL");
    assertThat(Gates.installed()).isNull();
  }

  @Test
  void gateOfAControllerExcludesIt() {
    assertThat(start(Map.of(Setting.GATE, "7000"), HERE))
        .containsExactly("off, since txwatch.gate is set, too: set one of them");
    assertThat(Gates.installed()).isNull();
  }

  @Test
  void interleaverThatRunsExcludesIt() {
    Gate interleaver = call -> {};
    Gates.install(interleaver);
    try {
      assertThat(start(Map.of(), HERE))
          .containsExactly(
              "off, since the interleaver runs in this process: run one of them at a time");
      assertThat(Gates.installed()).isSameAs(interleaver);
    } finally {
      Gates.remove(interleaver);
    }
  }
}
