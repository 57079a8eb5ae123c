package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is wrong with a command line is said in a line, with the right exit code. */
class BadInputTest {

  @TempDir private Path directory = Path.of("");

  @Test
  void noCommand() {
    assertThat(Invocation.of())
        .isEqualTo(
            new Invocation(
                2,
                "",
                lines(
                    "txwatch: missing command, expected one of demo, attach, serve, check, report, export,"
                        + " prepare, unprepare, fuzz, replay, interleave, predict, baseline, diff, mcp",
                    "see: txwatch --help")));
  }

  @Test
  void mistypedCommand() {
    assertThat(Invocation.of("chekc", "x").err())
        .isEqualTo(
            lines("txwatch: unknown command 'chekc', did you mean check?", "see: txwatch --help"));
  }

  @Test
  void mistypedOption() {
    Invocation invocation = Invocation.of("check", "--fial-on", "never", "x");
    assertThat(invocation.code()).isEqualTo(2);
    assertThat(invocation.err())
        .isEqualTo(
            lines(
                "txwatch: unknown option '--fial-on', did you mean --fail-on?",
                "see: txwatch check --help"));
  }

  @Test
  void invalidOptionValue() {
    assertThat(Invocation.of("check", "--fail-on", "sometimes", "x").err())
        .contains("--fail-on")
        .contains("sometimes");
    assertThat(Invocation.of("check", "--isolation", "CHAOS", "x").err())
        .contains("expected READ_UNCOMMITTED");
    assertThat(Invocation.of("check", "--format", "elle", file("")).code()).isEqualTo(2);
  }

  @Test
  void missingFile() {
    assertThat(Invocation.of("check", "nowhere.history"))
        .isEqualTo(new Invocation(2, "", lines("txwatch: no such file: nowhere.history")));
  }

  @Test
  void fileOfAnotherFormat() {
    String foreign = file("BEGIN;\n");
    assertThat(Invocation.of("check", "--json", foreign))
        .isEqualTo(
            new Invocation(
                2,
                "",
                lines(
                    "txwatch: "
                        + foreign
                        + ": not a history in a known format: txwatch; elle-append (EDN or JSON,"
                        + " [:append 1 2], [:r 1 [2]]); elle-register (EDN or JSON, [:w 1 2], [:r 1"
                        + " 2]); plume (text, w(1,2,0,0)); awdit (text, w 1 2); dbcop (JSON or"
                        + " bincode); cobra (a directory of logs, or one)")));
  }

  @Test
  void reportThatCannotBeWritten() {
    String history = file("");
    assertThat(Invocation.of("report", history, "--out", "report.pdf"))
        .isEqualTo(
            new Invocation(
                2,
                "",
                lines(
                    "txwatch: --out: expected a name that ends in .html, .md, .dot, .svg, .sarif,"
                        + " .xml, not 'report.pdf'")));
    assertThat(Invocation.of("report", history, "--out", history + "/pages/report.html").err())
        .contains("--out: " + history + " is not a directory");
    assertThat(Invocation.of("report", "nowhere.history", "--out", "report.html").err())
        .contains("no such file: nowhere.history");
    assertThat(
            Invocation.of("report", history, "--out", "report.html", "--sources", "nowhere").err())
        .contains("--sources: no such directory: nowhere");
  }

  @Test
  void urlWithoutADriver() {
    Invocation invocation =
        Invocation.of("prepare", "--url", "jdbc:postgersql://u:secret@localhost/x");
    assertThat(invocation.code()).isEqualTo(2);
    assertThat(invocation.err())
        .startsWith("txwatch: no JDBC driver knows the URL jdbc:postgersql://localhost/x")
        .hasLineCount(1);
  }

  @Test
  void unreachableServer() {
    Invocation invocation =
        Invocation.of("prepare", "--url", "jdbc:postgresql://127.0.0.1:1/x?user=a&password=secret");
    assertThat(invocation.code()).isEqualTo(3);
    assertThat(invocation.err())
        .startsWith("txwatch: cannot connect to jdbc:postgresql://127.0.0.1:1/x: ")
        .hasLineCount(1);
  }

  @Test
  void preparationWhereNoneIsNeeded() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      for (List<String> options :
          List.of(
              List.<String>of(),
              List.of("--json"),
              List.of("--dry-run", "--json"),
              List.of("--tables", "account"))) {
        List<String> command = new ArrayList<>(List.of("prepare", "--url", url));
        command.addAll(options);
        Invocation invocation = Invocation.of(command.toArray(new String[0]));
        assertThat(invocation.code()).as("%s", options).isEqualTo(2);
        assertThat(invocation.out()).isEmpty();
        assertThat(invocation.err())
            .startsWith("txwatch: PostgreSQL ")
            .contains("system columns", "needs no preparation")
            .hasLineCount(1);
      }
      try (ResultSet columns = statement.executeQuery("SELECT * FROM account")) {
        assertThat(columns.getMetaData().getColumnCount()).isEqualTo(2);
      }
    }
  }

  @Test
  void missingDriver() {
    assertThat(Invocation.of("prepare", "--url", "jdbc:x:y", "--driver-path", "nowhere.jar").err())
        .isEqualTo(lines("txwatch: --driver-path: no such file: nowhere.jar"));
  }

  private String file(String content) {
    try {
      return Files.writeString(directory.resolve("file"), content).toString();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String lines(String... lines) {
    return String.join("\n", lines) + "\n";
  }
}
