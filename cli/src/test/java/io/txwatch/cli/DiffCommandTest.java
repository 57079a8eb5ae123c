package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.history.HistoryWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of one application are compared: its forty races, before and after it was changed. */
class DiffCommandTest {

  private static final int KINDS = 40;

  @TempDir private Path folder = Path.of("");
  private Path before = Path.of("");

  @BeforeEach
  void record() throws IOException {
    before = record("before.history", 0, KINDS, 1, "method", "amount", 10);
  }

  /**
   * A history of lost updates, one for each table.
   *
   * @param times how often each occurs
   * @param method the method of table 7
   * @param column what table 8 is read by
   * @param line where the methods begin
   */
  private Path record(
      String name, int from, int to, int times, String method, String column, int line)
      throws IOException {
    Path file = folder.resolve(name);
    try (HistoryWriter out = HistoryWriter.open(file)) {
      RecordedRaces races = new RecordedRaces(out);
      for (int table = from; table < to; table++) {
        for (int i = 0; i < times; i++) {
          races.lostUpdate(
              "t" + table,
              table == 8 ? column : "amount",
              "Service." + (table == 7 ? method : "method") + table,
              line);
        }
      }
    }
    return file;
  }

  private static JsonNode json(Invocation run) throws IOException {
    return new ObjectMapper().readTree(run.out());
  }

  private static List<String> tables(JsonNode anomalies) {
    return anomalies.findValuesAsText("title").stream()
        .map(title -> title.substring(title.lastIndexOf(' ') + 1))
        .toList();
  }

  @Test
  void nothingIsNewWhenLinesMove() throws IOException {
    Path after = record("after.history", 0, KINDS, 1, "method", "amount", 99);
    Invocation diff = Invocation.of("diff", "--json", before.toString(), after.toString());
    assertThat(diff.code()).isZero();
    assertThat(diff.err())
        .isEqualTo(
            """
            observed: before.history 80 transactions, 100 % of the statements; \
            after.history 80 transactions, 100 % of the statements
            nothing new
            """);
    JsonNode json = json(diff);
    assertThat(json.path("type").asText()).isEqualTo("diff");
    assertThat(json.path("result").asText()).isEqualTo("SAME");
    assertThat(json.path("new")).isEmpty();
    assertThat(json.path("gone")).isEmpty();
  }

  @Test
  void aChangedColumnIsNewAndARenamedMethodIsNot() throws IOException {
    Path after = record("after.history", 0, KINDS, 1, "renamed", "amount, reserved", 99);
    Invocation diff = Invocation.of("diff", "--json", before.toString(), after.toString());
    assertThat(diff.code()).isEqualTo(1);
    JsonNode json = json(diff);
    assertThat(tables(json.path("new"))).containsExactly("t8");
    assertThat(tables(json.path("gone"))).containsExactly("t8");
    assertThat(tables(json.path("renamed"))).containsExactly("t7");
    assertThat(json.path("new").path(0).path("phenomenon").asText()).isEqualTo("LOST_UPDATE");
    assertThat(diff.err()).contains("new: LOST_UPDATE of Service.method8 on t8  id ");
  }

  /** JSON, a page and a history of one run are the same run. */
  @Test
  void everyFormOfARunIsRead() throws IOException {
    Path page = folder.resolve("after.html");
    Path after = record("after.history", 1, KINDS + 1, 1, "method", "amount", 10);
    Invocation.of("report", after.toString(), "--out", page.toString());
    Path check = folder.resolve("after.json");
    Files.writeString(check, Invocation.of("check", "--json", after.toString()).out());
    for (Path form : List.of(after, page, check)) {
      Invocation diff = Invocation.of("diff", "--json", before.toString(), form.toString());
      assertThat(diff.code()).isEqualTo(1);
      assertThat(tables(json(diff).path("new"))).containsExactly("t40");
      assertThat(tables(json(diff).path("gone"))).containsExactly("t0");
    }
  }

  @Test
  void moreOftenIsByRate() throws IOException {
    Path often = record("often.history", 0, 2, 50, "method", "amount", 10);
    Path mixed = folder.resolve("mixed.history");
    try (HistoryWriter out = HistoryWriter.open(mixed)) {
      RecordedRaces races = new RecordedRaces(out);
      for (int i = 0; i < 100; i++) {
        races.lostUpdate(i < 5 ? "t1" : "t0", "amount", "Service.method" + (i < 5 ? 1 : 0), 10);
      }
    }
    JsonNode more = json(Invocation.of("diff", "--json", mixed.toString(), often.toString()));
    assertThat(tables(more.path("more"))).containsExactly("t1");
    assertThat(more.path("result").asText()).isEqualTo("SAME");
  }

  @Test
  void runsWithoutTrafficAreInconclusive() throws IOException {
    Path few = record("few.history", 0, 1, 1, "method", "amount", 10);
    Invocation diff = Invocation.of("diff", before.toString(), few.toString());
    assertThat(diff.code()).isEqualTo(5);
    assertThat(diff.out())
        .contains("gone: LOST_UPDATE of Service.method9 on t9", ", perhaps by chance")
        .endsWith("inconclusive: few.history has 2 transactions, 80 before\n");
    Path lines = folder.resolve("anomalies.jsonl");
    JsonNode check = json(Invocation.of("check", "--json", few.toString()));
    Files.writeString(lines, check.path("anomalies").path(0).toString());
    assertThat(Invocation.of("diff", few.toString(), lines.toString()).out())
        .endsWith("inconclusive: anomalies.jsonl does not state how much was observed\n");
  }

  @Test
  void aPullRequestAndATrendAreDocuments() throws IOException {
    Path after = record("<b>after.history", 0, KINDS + 1, 1, "method", "amount", 10);
    Path markdown = folder.resolve("comment.md");
    Path page = folder.resolve("trend.html");
    Invocation.of("diff", before.toString(), after.toString(), "--out", markdown.toString());
    assertThat(markdown)
        .content()
        .startsWith("## Isolation: 1 new kind of anomaly\n\n### new\n\n- LOST\\_UPDATE of")
        .contains("\\<b\\>after.history");
    Invocation.of(
        "diff", before.toString(), before.toString(), after.toString(), "--out", page.toString());
    assertThat(page)
        .content()
        .contains(
            "<tr class=\"new\"><th scope=\"row\">LOST_UPDATE of Service.method40 on t40<br>",
            "<td class=\"n\">–</td><td class=\"n\">–</td><td class=\"n\">1 (12.2)</td>",
            "&lt;b&gt;after.history")
        .doesNotContain("<b>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "diff BEFORE|requires at least 2 values, but only 1 were specified",
        "diff BEFORE FOLDER/none|no such file: FOLDER/none",
        "diff BEFORE FOLDER|FOLDER is a directory, expected a file",
        "diff BEFORE TEXT|TEXT: expected a history, or the JSON or the page of a report",
        "diff BEFORE BEFORE --out FOLDER/x.pdf|--out: expected a name that ends in .md or .html",
      })
  void badInputIsOneLine(String line) throws IOException {
    Path text = Files.writeString(folder.resolve("text.json"), "{\"a\": 1}");
    String[] parts =
        line.replace("BEFORE", before.toString())
            .replace("FOLDER", folder.toString())
            .replace("TEXT", text.toString())
            .split("\\|");
    Invocation run = Invocation.of(parts[0].split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains(parts[1]);
  }
}
