package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Product;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code report --predictions}: predicted races are a section of their own. */
class ReportPredictionsTest {

  private static final String HEADING = "Predicted: executed on copies of the tables, not observed";

  private static final String CONFIRMED =
      """
      {"type":"prediction","result":"CONFIRMED","phenomenon":"LOST_UPDATE","dbms":"H2 2.4.240",\
      "isolation":"READ_COMMITTED","operations":[\
      {"name":"<script>alert(1)</script>","callSite":"Bank.pay (Bank.java:7)","seen":12},\
      {"name":"pay](http://x) `**\\n# Title","callSite":"","seen":1}],\
      "schedule":["T1: SELECT b FROM a WHERE id = 4711"],\
      "order":[{"session":"T1","statement":"SELECT b FROM \\"</script>```\\" WHERE id = ?"},\
      {"session":"T2","statement":"commit"}],\
      "assumptions":["T2: b in statement 2 is taken for what statement 1 returned minus 4712.5",\
      "T2 is executed with b a 4711\\n, and was observed with a, and was observed with 4712"],\
      "adviceTried":[{"advice":"change <b>","removes":true,"cost":""},\
      {"advice":"useless","removes":false,"cost":""}]}
      """;

  private static final String OTHERS =
      """
      {"type":"prediction","result":"REFUTED"}
      {"type":"prediction","result":"REFUTED"}
      {"type":"level","operation":"pay"}
      {"type":"prediction","result":"UNDECIDED"}
      """;

  private static final String END = "{\"type\":\"predict\",\"operations\":2}\n";

  @TempDir private Path directory = Path.of("");
  private String history = "";

  @BeforeEach
  void record() throws IOException {
    Path file = directory.resolve("shop.history");
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      Database database = new Database(new Product("H2", "2.4.240"), Map.of());
      writer.accept(new Event.SessionOpened(11, "pool-1", database));
      writer.accept(new Event.SessionClosed(11));
    }
    history = file.toString();
  }

  @Test
  void markdownHasASectionAfterTheAnomalies() throws IOException {
    String text = report("report.md", CONFIRMED + OTHERS + END);
    assertThat(text.indexOf("## Coverage")).isGreaterThan(text.indexOf("## " + HEADING));
    assertThat(text)
        .contains(
            """
            ## Predicted: executed on copies of the tables, not observed

            ### Lost update: \\<script\\>alert\\(1\\)\\</script\\> and pay\\]\\(http://x\\) \\`\\*\\* \\# Title

            On H2 2.4.240 at READ COMMITTED:

            - \\<script\\>alert\\(1\\)\\</script\\>, Bank.pay \\(Bank.java:7\\), observed 12 times
            - pay\\]\\(http://x\\) \\`\\*\\* \\# Title, observed 1 time

            ````text
            T1: SELECT b FROM "</script>```" WHERE id = ?
            T2: commit
            ````

            Prevented, when it was tried, by:

            - change \\<b\\>

            Assumed:

            - T2: b in statement 2 is taken for what statement 1 returned minus ?
            - T2 is executed with another b than it was observed with

            1 race confirmed, 2 refuted, 1 undecided.
            """)
        .startsWith("# Anomalies in shop.history\n\n0 anomalies of 0 kinds in 0 transactions.")
        .doesNotContain("4711", "4712", "useless");
  }

  @Test
  void pageContainsNoMarkupOfThem() throws IOException {
    String page = report("report.html", CONFIRMED + OTHERS + END);
    assertThat(page)
        .contains("\"heading\":\"" + HEADING, "\\u003Cscript\\u003Ealert(1)", "minus ?")
        .doesNotContain("<script>alert", "</script>```", "<b>", "4711", "4712", "useless");
  }

  @Test
  void withoutAConfirmedOneTheCountsAreShown() throws IOException {
    assertThat(report("report.md", OTHERS + END))
        .contains("## " + HEADING + "\n\nNo race confirmed, 2 refuted, 1 undecided.\n");
  }

  @Test
  void withoutTheOptionThereIsNoSection() throws IOException {
    for (String name : List.of("report.md", "report.html")) {
      Path out = directory.resolve(name);
      assertThat(Invocation.of("report", history, "--out", out.toString()).code()).isZero();
      assertThat(Files.readString(out)).doesNotContain(HEADING);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".dot", ".svg", ".sarif", ".xml"})
  void otherFormatsHaveNoSection(String ending) throws IOException {
    Path out = directory.resolve("report" + ending);
    Invocation run = run(out, predictions(CONFIRMED + END).toString());
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err())
        .isEqualTo(
            "txwatch: --predictions: expected --out with a name that ends in .html or .md, not '"
                + out
                + "'"
                + System.lineSeparator());
    assertThat(out).doesNotExist();
  }

  @Test
  void missingFile() {
    Invocation run = run(directory.resolve("report.md"), "nowhere.jsonl");
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err()).contains("no such file: nowhere.jsonl").hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "BEGIN;\n",
        "[1]",
        "{\"type\":7}",
        "{\"type\":\"anomaly\"}",
        "{\"type\":\"prediction\",\"result\":\"REFUTED\"}",
        "{\"type\":\"predict\"}\n{\"type\":\"prediction\",\"result\":\"CONF",
        "{\"type\":\"prediction\",\"result\":\"CONFIRMED\"}\n{\"type\":\"predict\"}",
        "{\"type\":\"prediction\",\"result\":\"MAYBE\"}\n{\"type\":\"predict\"}",
        "\u0000\u0001\ud800"
      })
  void fileOfAnotherKind(String text) throws IOException {
    refused(predictions(text));
  }

  @Test
  void historyAsPredictions() {
    refused(Path.of(history));
  }

  private void refused(Path file) {
    Path out = directory.resolve("report.md");
    Invocation run = run(out, file.toString());
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err())
        .isEqualTo(
            "txwatch: --predictions: "
                + file
                + " is not a complete predictions.jsonl, which predict --out DIR writes"
                + System.lineSeparator());
    assertThat(out).doesNotExist();
  }

  private String report(String name, String predictions) throws IOException {
    Path out = directory.resolve(name);
    Invocation run = run(out, predictions(predictions).toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    return Files.readString(out);
  }

  private Invocation run(Path out, String predictions) {
    return Invocation.of("report", history, "--predictions", predictions, "--out", out.toString());
  }

  private Path predictions(String text) throws IOException {
    return Files.write(
        directory.resolve("predictions.jsonl"),
        text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }
}
