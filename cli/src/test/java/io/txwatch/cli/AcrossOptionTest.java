package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RecordedValue;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowShare;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code --across} on a recorded stale write: T1 reads item 7, T2 writes it, and T3, in the session
 * and the trace of T1, writes it over that.
 */
class AcrossOptionTest {

  private static final String BY_T2 = WriterToken.of(2, 1);
  private static final String BY_T3 = WriterToken.of(3, 1);

  /** Stands for values that a history may contain and no report shows. */
  private static final String SECRET = "SECRET-4711";

  @TempDir private Path directory = Path.of("");
  private String file = "";

  @BeforeEach
  void record() throws IOException {
    Path written = directory.resolve("shop.history");
    file = written.toString();
    try (HistoryWriter history = HistoryWriter.open(written)) {
      for (long session = 11; session <= 12; session++) {
        history.accept(
            new Event.SessionOpened(
                session,
                "pool-" + session,
                new Database(new Product("PostgreSQL", "18.6"), Map.of())));
      }
      transaction(history, 11, 1, "form", StatementKind.SELECT, Access.READ, WriterList.INITIAL);
      transaction(
          history, 12, 2, "sale", StatementKind.UPDATE, Access.UPDATE, WriterList.ofColumn(BY_T2));
      transaction(
          history,
          11,
          3,
          "form",
          StatementKind.UPDATE,
          Access.UPDATE,
          WriterList.ofColumn(BY_T2 + BY_T3));
    }
  }

  private static void transaction(
      HistoryWriter history,
      long session,
      long id,
      String trace,
      StatementKind kind,
      Access access,
      WriterList writers) {
    history.accept(
        new Event.TransactionBegan(
            session, id, IsolationLevel.SERIALIZABLE, 0, "", trace, RowShare.ALL));
    history.accept(
        new Event.StatementExecuted(
            session,
            id,
            1,
            kind,
            kind + " item",
            "Item.java:" + id,
            List.of(new RowAccess(access, "item", 7, writers)),
            true,
            null,
            List.of(),
            kind == StatementKind.SELECT ? "item read=stock" : "item written=stock"));
    RecordedValue secret = RecordedValue.of(SECRET);
    history.accept(
        new Event.ValuesRecorded(
            session,
            id,
            1,
            "SELECT " + SECRET,
            List.of(secret),
            1,
            List.of(SECRET),
            List.of(List.of(secret)),
            true));
    history.accept(new Event.TransactionEnded(session, id, Outcome.COMMITTED, 0, 2));
  }

  @Test
  void staleWritesAreReportedOnRequest() {
    assertThat(Invocation.of("check", "--fail-on", "hazard", file).code()).isZero();
    for (String across : List.of("trace", "session")) {
      Invocation check = Invocation.of("check", "--across", across, "--fail-on", "hazard", file);
      assertThat(check.code()).isEqualTo(ExitCode.ANOMALIES);
      assertThat(check.out())
          .contains("STALE_WRITE  HAZARD (possible)", "UPDATE at Item.java:3")
          .doesNotContain(SECRET);
    }
  }

  @Test
  void staleWritesAreInDocuments() throws IOException {
    for (String ending : List.of("html", "md", "sarif", "xml", "svg", "dot")) {
      Path out = directory.resolve("report." + ending);
      Invocation report =
          Invocation.of("report", "--across", "session", file, "--out", out.toString());
      assertThat(report.code()).as(report.err()).isZero();
      assertThat(Files.readString(out).toLowerCase(java.util.Locale.ROOT))
          .as(ending)
          .containsAnyOf("stale_write", "stale write")
          .doesNotContain(SECRET.toLowerCase(java.util.Locale.ROOT));
    }
  }

  @Test
  void otherValueIsRejected() {
    Invocation check = Invocation.of("check", "--across", "request", file);
    assertThat(check.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(check.err()).contains("expected off, trace or session, not 'request'");
  }
}
