package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.history.HistoryWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A project accepts kinds of anomalies, and every command honours it. */
class BaselineCommandTest {

  @TempDir private Path folder = Path.of("");
  private Path history = Path.of("");
  private Path baseline = Path.of("");

  @BeforeEach
  void record() throws IOException {
    baseline = folder.resolve("baseline.yaml");
    history = folder.resolve("shop.history");
    try (HistoryWriter out = HistoryWriter.open(history)) {
      RecordedRaces races = new RecordedRaces(out);
      races.lostUpdate("account", "balance", "BankService.withdraw", 41);
      races.lostUpdate("stock", "amount", "Shop.sell", 12);
    }
  }

  private Invocation check(String... more) {
    String[] first = {"check", "--fail-on", "new", "--baseline", baseline.toString()};
    return Invocation.of(
        java.util.stream.Stream.of(first, more, new String[] {history.toString()})
            .flatMap(java.util.Arrays::stream)
            .toArray(String[]::new));
  }

  private Invocation baseline(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "baseline";
    all[1] = arguments[0];
    all[2] = "--file";
    all[3] = baseline.toString();
    System.arraycopy(arguments, 1, all, 4, arguments.length - 1);
    return Invocation.of(all);
  }

  private String id(String table) throws IOException {
    JsonNode json =
        new ObjectMapper().readTree(Invocation.of("check", "--json", history.toString()).out());
    for (JsonNode anomaly : json.path("anomalies")) {
      if (anomaly.at("/cycle/0/table").asText().equals(table)) {
        return anomaly.path("fingerprint").asText();
      }
    }
    throw new AssertionError(table);
  }

  @Test
  void whatIsAcceptedFailsNoCheck() throws IOException {
    Invocation add =
        baseline(
            "add",
            id("account"),
            "--from",
            history.toString(),
            "--reason",
            "one clerk",
            "--who",
            "ada");
    assertThat(add.out()).isEqualTo(baseline + ": 1 kind of anomaly added\n");
    assertThat(baseline)
        .content()
        .endsWith(
            """
            accepted:
            - id: %s
              reason: one clerk
              who: ada
              what: LOST_UPDATE of BankService.withdraw on account
            """
                .formatted(id("account")));
    Invocation one = check();
    assertThat(one.code()).isEqualTo(1);
    assertThat(one.out())
        .contains("accepted: LOST_UPDATE", ": one clerk (ada)\n", "of 2 kinds, 1 of them accepted")
        .contains("SELECT amount FROM stock")
        .doesNotContain("SELECT balance");
    baseline("add", "--all", history.toString(), "--reason", "before 2.0");
    Invocation all = check();
    assertThat(all.code()).isZero();
    assertThat(all.out()).contains("2 of them accepted");
  }

  @Test
  void jsonHasTheReason() throws IOException {
    baseline("add", id("account"), "--reason", "one clerk");
    JsonNode anomalies = new ObjectMapper().readTree(check("--json").out()).path("anomalies");
    assertThat(anomalies.findValuesAsText("reason")).containsExactly("one clerk");
  }

  @Test
  void linesMayMoveAndMethodsBeRenamedButColumnsMayNotChange() throws IOException {
    baseline("add", "--all", history.toString(), "--reason", "before 2.0");
    String before = id("account");
    Files.delete(history);
    try (HistoryWriter out = HistoryWriter.open(history)) {
      RecordedRaces races = new RecordedRaces(out);
      races.lostUpdate("account", "balance", "BankService.debit", 77);
      races.lostUpdate("stock", "amount, reserved", "Shop.sell", 12);
    }
    Invocation check = check();
    assertThat(check.code()).isEqualTo(1);
    assertThat(check.out())
        .contains("SELECT amount, reserved FROM stock")
        .doesNotContain("SELECT balance")
        .contains(
            baseline + ": " + before + " is " + id("account") + " now: an operation was renamed")
        .contains("not found here: ");
    assertThat(baseline("list", history.toString()).out())
        .contains("before 2.0  [now " + id("account") + "]", "[not found]", ": 2 kinds of anomaly");
    assertThat(baseline("prune", history.toString()).out())
        .isEqualTo(baseline + ": 1 entry removed, 1 with a new id\n");
    assertThat(baseline("list", history.toString()).out())
        .startsWith(id("account"))
        .endsWith(": 1 kind of anomaly\n");
  }

  @Test
  void anExpiredEntryAcceptsNothing() throws IOException {
    baseline("add", "--all", history.toString(), "--reason", "soon", "--until", "2020-01-01");
    Invocation check = check();
    assertThat(check.code()).isEqualTo(1);
    assertThat(check.out()).contains(baseline + ": expired: " + id("account") + " (LOST_UPDATE of");
    assertThat(baseline("list").out()).contains("soon (until 2020-01-01)  [expired]");
    assertThat(baseline("prune", history.toString()).out()).contains("2 entries removed");
  }

  @Test
  void reportsHonourIt() throws IOException {
    baseline("add", "--all", history.toString(), "--reason", "before 2.0");
    Path sarif = folder.resolve("report.sarif");
    Invocation report =
        Invocation.of(
            "report",
            history.toString(),
            "--out",
            sarif.toString(),
            "--fail-on",
            "hazard",
            "--baseline",
            baseline.toString());
    assertThat(report.code()).isZero();
    assertThat(sarif).content().contains("\"justification\" : \"before 2.0\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "baseline|baseline: missing command, expected one of add, list, prune",
        "baseline add --reason x|baseline add: expected ids, or --all and histories",
        "baseline add 3056e409-b041|Missing required option: '--reason=TEXT'",
        "baseline add nonsense --reason x|expected an id as reports show it, such as 3056e409-b041",
        "baseline add 3056e409-b041 --reason x --until soon|expected a day such as 2027-03-01",
        "baseline add 00000000-0000 --reason x --from HISTORY|contain no such kind of anomaly",
        "baseline list --file FOLDER/none.yaml|no such file: FOLDER/none.yaml",
        "check HISTORY --baseline FOLDER/none.yaml|there is no such file, expected a baseline",
        "check HISTORY --fail-on new --baseline none|--fail-on new: there is no baseline",
      })
  void badInputIsOneLine(String line) {
    String[] parts =
        line.replace("HISTORY", history.toString())
            .replace("FOLDER", folder.toString())
            .split("\\|");
    Invocation run = Invocation.of(parts[0].split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains(parts[1]);
    assertThat(Files.exists(folder.resolve("txwatch-baseline.yaml"))).isFalse();
  }
}
