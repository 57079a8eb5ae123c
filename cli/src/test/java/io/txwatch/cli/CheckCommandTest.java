package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Origin;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code check} on a recorded lost update: T1 and T2 read account 7, then both write it. */
class CheckCommandTest {

  private static final long T1 = 0x1_0000_0001L;
  private static final long T2 = 0x1_0000_0002L;
  private static final String BY_T1 = WriterToken.of(T1, 2);
  private static final String BY_T2 = WriterToken.of(T2, 2);

  @TempDir private Path directory = Path.of("");
  private Path file = Path.of("");

  @BeforeEach
  void record() throws IOException {
    file = directory.resolve("shop.history");
    try (HistoryWriter history = HistoryWriter.open(file)) {
      Database database = new Database(new Product("PostgreSQL", "18.6"), Map.of());
      history.accept(new Event.SessionOpened(11, "pool-1", database));
      history.accept(new Event.SessionOpened(12, "pool-2", database));
      for (long i = 1; i <= 2; i++) {
        history.accept(
            new Event.TransactionBegan(10 + i, i == 1 ? T1 : T2, IsolationLevel.READ_COMMITTED, 0));
      }
      history.accept(select(11, T1));
      history.accept(select(12, T2));
      history.accept(update(11, T1, BY_T1));
      history.accept(new Event.TransactionEnded(11, T1, Outcome.COMMITTED, 0, 3));
      history.accept(update(12, T2, BY_T1 + BY_T2));
      history.accept(new Event.TransactionEnded(12, T2, Outcome.COMMITTED, 0, 3));
      history.accept(new Event.SessionClosed(11));
      history.accept(new Event.SessionClosed(12));
    }
  }

  @Test
  void textReportNamesTheAnomaly() {
    Invocation check = Invocation.of("check", file.toString());
    assertThat(check.code()).isZero();
    assertThat(check.err()).isEmpty();
    assertThat(check.out())
        .contains("LOST_UPDATE", "HAZARD", "BankService.java:42")
        .contains("2 transactions, 4 operations, 1 anomaly of 1 kind");
  }

  @Test
  void jsonReportNamesTheAnomaly() throws IOException {
    Invocation check = Invocation.of("check", "--json", "--fail-on", "hazard", file.toString());
    assertThat(check.code()).isEqualTo(1);
    JsonNode json = new ObjectMapper().readTree(check.out());
    assertThat(json.path("type").asText()).isEqualTo("check");
    assertThat(json.path("file").asText()).isEqualTo(file.toString());
    assertThat(json.path("operations").asInt()).isEqualTo(4);
    assertThat(json.path("transactions").asInt()).isEqualTo(2);
    assertThat(json.path("valid").isBoolean()).isTrue();
    assertThat(json.path("valid").asBoolean()).isTrue();
    assertThat(json.path("anomalies")).hasSize(1);
    JsonNode anomaly = json.path("anomalies").path(0);
    assertThat(anomaly.path("phenomenon").asText()).isEqualTo("LOST_UPDATE");
    assertThat(anomaly.path("verdict").asText()).isEqualTo("HAZARD");
    assertThat(check.err()).contains("LOST_UPDATE");
  }

  @Test
  void strongerLevelMakesItAViolation() {
    for (String judge : List.of("dbms", "adya")) {
      Invocation check =
          Invocation.of(
              "check", "--isolation", "ser", "--judge-by", judge, "--json", file.toString());
      assertThat(check.code()).isEqualTo(1);
      assertThat(check.out()).contains("\"verdict\":\"VIOLATION\"", "\"valid\":false");
    }
    assertThat(
            Invocation.of("check", "--isolation", "SER", "--fail-on", "never", file.toString())
                .code())
        .isZero();
  }

  /** Another process may watch the writer in a history of an analyzer that several share. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writerThatIsNotWatchedIsNamedUnlessSeveralProcessesMayWatch(boolean shared)
      throws IOException {
    Path recorded = directory.resolve("unwatched.history");
    try (HistoryWriter history = HistoryWriter.open(recorded)) {
      if (shared) {
        history.from(new Origin(7, 1, 0, 100));
      }
      lostToOther().forEach(history::accept);
    }
    Path page = directory.resolve("new/folders/report.html"); // report makes them
    Invocation.of("report", recorded.toString(), "--out", page.toString());
    String checked = Invocation.of("check", "--json", recorded.toString()).out();
    for (String report : List.of(checked, Files.readString(page))) {
      assertThat(report.contains("a session that is not watched (connection 55)"))
          .isEqualTo(!shared);
    }
    assertThat(checked.contains("LOST_UPDATE")).isEqualTo(!shared);
  }

  /** By value: connection 55 changes a row between T1's read and its write. */
  private static List<Event> lostToOther() {
    ValueHash hash = new ValueHash(7);
    long key = hash.ofKey(1);
    int[] seen = {hash.of(1), hash.of(10)};
    int[] other = {hash.of(1), hash.of(11)};
    int[] own = {hash.of(1), hash.of(12)};
    List<String> columns = List.of("id", "v");
    Database database = new Database(new Product("MySQL", ""), Map.of());
    RowValues read = new RowValues("t", columns, new long[] {key}, seen);
    RowValues written = new RowValues("t", List.of("v"), new long[] {key}, new int[] {hash.of(12)});
    return List.of(
        new Event.SessionOpened(9, "record", database),
        new Event.ChangesRead(9, 1),
        new Event.SessionOpened(11, "pool-1", database),
        new Event.SessionIdentified(11, 101),
        new Event.TransactionBegan(11, T1, IsolationLevel.READ_COMMITTED, 0),
        new Event.StatementExecuted(
            11, T1, 1, StatementKind.SELECT, "SELECT", "", List.of(), true, null),
        new Event.ValuesObserved(11, T1, 1, 10, 15, List.of(read), List.of(), ""),
        new Event.Changed(
            9,
            55,
            "",
            20,
            0,
            List.of(new RowChange(Access.UPDATE, "t", columns, key, key, seen, other, 0))),
        new Event.ChangesRead(9, 25),
        new Event.StatementExecuted(
            11, T1, 2, StatementKind.UPDATE, "UPDATE", "", List.of(), true, null),
        new Event.ValuesObserved(
            11,
            T1,
            2,
            30,
            35,
            List.of(),
            List.of(new StatedWrite(Access.UPDATE, written, true)),
            ""),
        new Event.EndTimed(11, T1, 40, 45),
        new Event.TransactionEnded(11, T1, Outcome.COMMITTED, 0, 3),
        new Event.Changed(
            9,
            101,
            "",
            50,
            0,
            List.of(new RowChange(Access.UPDATE, "t", columns, key, key, other, own, 0))),
        new Event.ChangesRead(9, 55));
  }

  @Test
  void truncatedFileIsCheckedUpToTheLossWhichIsReported() throws IOException {
    try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
      cut.setLength(cut.length() - 10);
    }
    Invocation check = Invocation.of("check", "--json", file.toString());
    assertThat(check.code()).isEqualTo(ExitCode.UNDECIDED);
    JsonNode json = new ObjectMapper().readTree(check.out());
    assertThat(json.path("valid").asText()).isEqualTo("unknown");
    assertThat(json.path("anomalies")).hasSize(1);
    assertThat(json.path("losses")).hasSize(1);
    assertThat(check.err()).contains("lost: the file ends within a record");
  }

  @Test
  void emptyHistoryIsUndecided() throws IOException {
    Path empty = directory.resolve("empty.history");
    HistoryWriter.open(empty).close();
    Invocation check = Invocation.of("check", "--json", empty.toString(), file.toString());
    assertThat(check.out().lines()).hasSize(2).first().asString().contains("\"unknown\"");
    assertThat(check.code()).isEqualTo(ExitCode.UNDECIDED);
    assertThat(Invocation.of("check", "--fail-on", "unknown", empty.toString()).code())
        .isEqualTo(ExitCode.ANOMALIES);
    assertThat(Invocation.of("check", "--fail-on", "never", empty.toString()).code()).isZero();
  }

  @Test
  void elleExportGivesTheSameAnomalies() throws IOException {
    Path edn = directory.resolve("shop.edn");
    Invocation export =
        Invocation.of("export", file.toString(), "--to", "elle-append", "--out", edn.toString());
    assertThat(export.code()).as(export.err()).isZero();
    assertThat(export.out()).contains("2 transactions, 4 operations");
    Invocation check = Invocation.of("check", "--json", edn.toString());
    assertThat(check.code()).isEqualTo(1);
    JsonNode json = new ObjectMapper().readTree(check.out());
    assertThat(json.path("format").asText()).isEqualTo("elle-append");
    assertThat(json.path("isolation").asText()).isEqualTo("SERIALIZABLE");
    assertThat(json.path("valid").asBoolean(true)).isFalse();
    assertThat(json.path("anomalies").path(0).path("phenomenon").asText()).isEqualTo("LOST_UPDATE");
    assertThat(
            Invocation.of("check", "--isolation", "RC", "--fail-on", "hazard", edn.toString())
                .out())
        .contains("elle-append held to READ_COMMITTED: valid");
    assertThat(Invocation.of("check", "--judge-by", "dbms", edn.toString()).err())
        .contains("names no DBMS");
  }

  @Test
  void exportSaysWhatItOmitsAndThatNothingWasLeft() throws IOException {
    Path running = directory.resolve("running.history");
    try (HistoryWriter history = HistoryWriter.open(running)) {
      history.accept(
          new Event.SessionOpened(
              11, "pool-1", new Database(new Product("PostgreSQL", "18.6"), Map.of())));
      history.accept(new Event.TransactionBegan(11, T1, IsolationLevel.READ_COMMITTED, 0));
      history.accept(select(11, T1));
    }
    Path edn = directory.resolve("running.edn");
    Invocation export =
        Invocation.of("export", running.toString(), "--to", "elle-append", "--out", edn.toString());
    assertThat(export.code()).isEqualTo(ExitCode.UNDECIDED);
    assertThat(export.err())
        .isEqualToIgnoringNewLines(
            "omitted: 1 statements of transactions whose end is not in the history\n");
  }

  /** No session, a session without transactions, and a transaction without statements. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void exportOfNothingIsUndecidedAsItsHistoryIs(int events) throws IOException {
    Path nothing = directory.resolve("nothing.history");
    try (HistoryWriter history = HistoryWriter.open(nothing)) {
      List.of(
              new Event.SessionOpened(
                  11, "pool-1", new Database(new Product("PostgreSQL", "18.6"), Map.of())),
              new Event.TransactionBegan(11, T1, IsolationLevel.READ_COMMITTED, 0),
              new Event.TransactionEnded(11, T1, Outcome.COMMITTED, 0))
          .subList(0, events)
          .forEach(history::accept);
    }
    Path edn = directory.resolve("nothing.edn");
    Invocation export =
        Invocation.of("export", nothing.toString(), "--to", "elle-append", "--out", edn.toString());
    assertThat(export.code()).isEqualTo(ExitCode.UNDECIDED);
    for (Path each : List.of(nothing, edn)) {
      Invocation check = Invocation.of("check", "--json", each.toString());
      assertThat(check.code()).as("%s: %s", each, check.err()).isEqualTo(ExitCode.UNDECIDED);
      assertThat(check.out()).contains("\"valid\":\"unknown\"", "\"anomalies\":[]");
    }
  }

  @Test
  void realTimeOrderIsRejectedForFormatsWithoutIt(@TempDir Path folder) throws IOException {
    Path stale =
        Files.writeString(
            folder.resolve("stale.edn"),
            """
            {:process 0 :type :invoke :value [[:append x 1]]}
            {:process 0 :type :ok     :value [[:append x 1]]}
            {:process 1 :type :invoke :value [[:r x nil]]}
            {:process 1 :type :ok     :value [[:r x []]]}
            {:process 2 :type :invoke :value [[:r x nil]]}
            {:process 2 :type :ok     :value [[:r x [1]]]}
            """);
    assertThat(Invocation.of("check", stale.toString()).code()).isZero();
    Invocation strict = Invocation.of("check", "--real-time-order", stale.toString());
    assertThat(strict.code()).isEqualTo(1);
    assertThat(strict.out()).contains("TRANSACTION_INVERSION", "G-single-realtime");

    Path plume = Files.writeString(folder.resolve("plume.txt"), "w(1,1,0,0)\nr(1,1,1,1)\n");
    Invocation refused = Invocation.of("check", "--real-time-order", plume.toString());
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .contains("plume histories contain no real-time order: omit --real-time-order");
  }

  private static Event select(long session, long transaction) {
    return statement(
        session,
        transaction,
        1,
        StatementKind.SELECT,
        "SELECT balance FROM account WHERE id = ?",
        41,
        new RowAccess(Access.READ, "account", 7, WriterList.INITIAL));
  }

  private static Event update(long session, long transaction, String writers) {
    return statement(
        session,
        transaction,
        2,
        StatementKind.UPDATE,
        "UPDATE account SET balance = ? WHERE id = ?",
        42,
        new RowAccess(Access.UPDATE, "account", 7, WriterList.ofColumn(writers)));
  }

  private static Event statement(
      long session,
      long transaction,
      int number,
      StatementKind kind,
      String sql,
      int line,
      RowAccess row) {
    return new Event.StatementExecuted(
        session,
        transaction,
        number,
        kind,
        sql,
        "BankService.java:" + line,
        List.of(row),
        true,
        null);
  }
}
