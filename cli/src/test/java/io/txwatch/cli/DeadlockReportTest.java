package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A deadlock is in every report, and fails no command. */
class DeadlockReportTest {

  @TempDir private Path directory = Path.of("");
  private Path history = Path.of("");

  @BeforeEach
  void record() throws IOException {
    history = directory.resolve("deadlock.txw");
    try (HistoryWriter writer = HistoryWriter.open(history)) {
      begin(writer, 1);
      begin(writer, 2);
      execute(writer, 1, 1, null);
      execute(writer, 2, 1, null);
      execute(writer, 1, 2, "40001");
      writer.accept(
          new Event.Deadlocked(1, 1, 2, true, List.of(new Event.Deadlocked.Waiter(2, 2, 2))));
      writer.accept(new Event.TransactionEnded(1, 1, Outcome.ABORTED, 0, 3));
      execute(writer, 2, 2, null);
      writer.accept(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0, 3));
      begin(writer, 3);
      execute(writer, 3, 1, null); // a dependency, without which there is no verdict
      writer.accept(new Event.TransactionEnded(3, 3, Outcome.COMMITTED, 0, 2));
    }
  }

  private static void begin(HistoryWriter writer, long id) {
    Database database = new Database(new Product("MySQL", "9.7.1"), Map.of());
    writer.accept(new Event.SessionOpened(id, "pool-" + id, database));
    writer.accept(new Event.TransactionBegan(id, id, IsolationLevel.REPEATABLE_READ, 0));
  }

  private static void execute(HistoryWriter writer, long id, int number, @Nullable String state) {
    writer.accept(
        new Event.StatementExecuted(
            id,
            id,
            number,
            StatementKind.UPDATE,
            "UPDATE account SET v = ? WHERE id = ?",
            "T" + id + ".java:" + number,
            number == 2
                ? List.of()
                : List.of(
                    new RowAccess(
                        Access.UPDATE,
                        "account",
                        id == 1 ? 1 : 2,
                        WriterList.ofColumn(
                            (id == 3 ? WriterToken.of(2, 1) : "") + WriterToken.of(id, 1)),
                        true)),
            true,
            state,
            List.of(),
            "account read=id predicate=id written=v"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"violation", "hazard", "unknown", "never"})
  void noCommandFails(String failOn) {
    Invocation check = Invocation.of("check", history.toString(), "--fail-on", failOn);
    assertThat(check.code()).isZero();
    assertThat(check.out() + check.err()).contains("DEADLOCK", "T1.java:2", "T2.java:2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "report.html  | T2 waited in statement 2 for a lock",
        "report.md    | T2 waited in statement 2 for a lock",
        "report.sarif | \"level\" : \"note\"",
        "report.dot   | waits a row of account",
        "report.svg   | waits for a lock",
        "report.xml   | DEADLOCK"
      })
  void everyReportHasIt(String name, String text) throws IOException {
    Path report = directory.resolve(name);
    Invocation.of("report", history.toString(), "--out", report.toString());
    assertThat(report).content().containsIgnoringCase("deadlock").contains(text);
  }

  @Test
  void baselineAcceptsIt() throws IOException {
    Path baseline = directory.resolve("baseline.yaml");
    String[] add = {
      "baseline", "add", "--file", baseline.toString(), "--all", history.toString(), "--reason", "x"
    };
    Invocation added = Invocation.of(add);
    assertThat(added.code()).as(added.err()).isZero();
    assertThat(Files.readString(baseline)).contains("DEADLOCK");
    assertThat(
            Invocation.of("check", history.toString(), "--json", "--baseline", baseline.toString())
                .out())
        .contains("\"accepted\":{");
  }
}
