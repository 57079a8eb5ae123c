package io.txwatch.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ContextRead;
import io.txwatch.anomaly.ElleNames;
import io.txwatch.anomaly.LockWait;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.baseline.AcceptedAnomaly;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.OperationWaits;
import io.txwatch.coverage.PossibleDeadlock;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.CallSite;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.version.Resolution;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Anomalies and coverage as JSON. Ids and row ids are strings, since many JSON parsers keep numbers
 * in 53 bits.
 *
 * <p>The output is ASCII without {@code <}, {@code >} and {@code &}, which are escaped: it is safe
 * in any terminal and in a script element of a page, whatever SQL it quotes.
 */
public final class JsonReport {

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build()
          .setCharacterEscapes(new HtmlEscapes());

  private JsonReport() {}

  /** A generator with this class's escapes. Closing it leaves the writer open. */
  public static JsonGenerator generator(Writer out) throws IOException {
    return FACTORY.createGenerator(out);
  }

  /** The anomaly as one line, without a newline at its end. */
  public static String anomaly(Anomaly anomaly) {
    return line(json -> write(json, anomaly));
  }

  /**
   * The line that withdraws a suspected anomaly: of type {@code withdrawn}, with the phenomenon and
   * the transaction ids of the line that reported it.
   */
  public static String withdrawn(Anomaly anomaly) {
    return line(
        json -> {
          json.writeStartObject();
          json.writeStringField("type", "withdrawn");
          json.writeStringField("id", AnomalyId.of(anomaly));
          json.writeStringField("phenomenon", anomaly.phenomenon().name());
          json.writeArrayFieldStart("transactions");
          for (ObservedTransaction transaction : anomaly.transactions()) {
            json.writeString(Ids.display(transaction.id()));
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  /** The coverage as one line, without a newline at its end. */
  public static String coverage(Coverage coverage) {
    return line(json -> write(json, coverage));
  }

  /**
   * A report as one object: {@code anomalies} and {@code coverage} as in the lines for each, and
   * {@code notListed}, the number of further anomalies.
   */
  public static String of(Report report) {
    return line(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("anomalies");
          for (AnomalyGroups.Group group : report.anomalies()) {
            write(json, group);
          }
          json.writeEndArray();
          json.writeNumberField("notListed", report.ungrouped());
          json.writeFieldName("coverage");
          write(json, report.coverage());
          json.writeEndObject();
        });
  }

  public static void write(JsonGenerator json, Anomaly anomaly) throws IOException {
    write(json, anomaly, 1, null);
  }

  /**
   * Writes a group as one anomaly that represents all, with the times of the first and the last
   * (ISO 8601), the rate per second, and Elle's names for it.
   */
  public static void write(JsonGenerator json, AnomalyGroups.Group group) throws IOException {
    write(json, group.first(), group.count(), group);
  }

  private static void write(JsonGenerator json, AcceptedAnomaly accepted) throws IOException {
    json.writeObjectFieldStart("accepted");
    json.writeStringField("id", accepted.id().toString());
    json.writeStringField("reason", accepted.reason());
    if (!accepted.who().isEmpty()) {
      json.writeStringField("who", accepted.who());
    }
    if (accepted.until().isPresent()) {
      json.writeStringField("until", accepted.until().get().toString());
    }
    json.writeEndObject();
  }

  private static void write(
      JsonGenerator json, Anomaly anomaly, long count, AnomalyGroups.@Nullable Group group)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("type", "anomaly");
    json.writeStringField("id", AnomalyId.of(anomaly));
    json.writeStringField("phenomenon", anomaly.phenomenon().name());
    writeNullable(json, "cycleClass", anomaly.cycleTerm().orElse(null));
    if (group != null) {
      json.writeArrayFieldStart("elle");
      for (String name : ElleNames.of(anomaly)) {
        json.writeString(name);
      }
      json.writeEndArray();
    }
    json.writeStringField("verdict", anomaly.verdict().name());
    json.writeStringField("confidence", anomaly.confidence().name());
    json.writeBooleanField("possible", anomaly.possible());
    json.writeStringField("fingerprint", Fingerprint.of(anomaly).toString());
    json.writeStringField("title", AnomalyTitle.of(anomaly));
    json.writeStringField("dbms", anomaly.database().product().displayName());
    json.writeStringField("isolation", anomaly.isolation().name());
    json.writeNumberField("count", count);
    if (group != null && group.firstMicros() != 0) {
      json.writeStringField("firstSeen", iso(group.firstMicros()));
      json.writeStringField("lastSeen", iso(group.lastMicros()));
      if (group.perSecond().isPresent()) {
        json.writeNumberField("perSecond", group.perSecond().getAsDouble());
      }
    }
    if (group != null && group.accepted().isPresent()) {
      write(json, group.accepted().get());
    }
    json.writeArrayFieldStart("transactions");
    for (ObservedTransaction transaction : anomaly.transactions()) {
      write(json, transaction);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("cycle");
    RowNames rows = RowNames.of(anomaly);
    for (Dependency edge : anomaly.cycle()) {
      write(json, edge, rows);
    }
    json.writeEndArray();
    writeSchedule(json, anomaly);
    json.writeArrayFieldStart("explanation");
    for (String clause : Explanation.of(anomaly)) {
      json.writeString(clause);
    }
    json.writeEndArray();
    json.writeStringField("advice", anomaly.advice());
    json.writeEndObject();
  }

  /**
   * An order of the statements that the dependencies allow. {@code transaction} is a position in
   * {@code transactions}, from 0.
   */
  private static void writeSchedule(JsonGenerator json, Anomaly anomaly) throws IOException {
    json.writeArrayFieldStart("schedule");
    for (PossibleOrder.Step step : PossibleOrder.of(anomaly)) {
      json.writeStartObject();
      json.writeNumberField("transaction", step.column());
      json.writeNumberField("seq", step.statement().number());
      json.writeArrayFieldStart("effects");
      for (String effect : step.effects()) {
        json.writeString(effect);
      }
      json.writeEndArray();
      if (step.isContext()) {
        json.writeBooleanField("context", true);
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  public static void write(JsonGenerator json, Coverage coverage) throws IOException {
    json.writeStartObject();
    json.writeStringField("type", "coverage");
    json.writeNumberField("sessions", coverage.sessions());
    json.writeNumberField("transactions", coverage.transactions());
    json.writeNumberField("committed", coverage.committed());
    json.writeNumberField("statements", coverage.statements());
    json.writeNumberField("executed", coverage.executed());
    json.writeNumberField("instrumented", coverage.instrumented());
    json.writeNumberField("rowsRead", coverage.rowsRead());
    json.writeNumberField("rowsWritten", coverage.rowsWritten());
    json.writeNumberField("uncertain", coverage.uncertain());
    json.writeNumberField("forbidden", coverage.forbidden());
    json.writeNumberField("rowLevel", coverage.rowLevel());
    json.writeNumberField("share", coverage.shed().share().fraction());
    json.writeNumberField("smallestShare", coverage.shed().smallest().fraction());
    json.writeNumberField("shedTransactions", coverage.shed().transactions());
    json.writeNumberField("repeatedTransactions", coverage.waits().repeated());
    json.writeArrayFieldStart("waits");
    for (OperationWaits.Pair pair : coverage.waits().pairs()) {
      json.writeStartObject();
      json.writeStringField("waiting", pair.waiting());
      json.writeStringField("holding", pair.holding());
      json.writeNumberField("count", pair.count());
      json.writeNumberField("micros", pair.micros());
      json.writeNumberField("longestMicros", pair.longestMicros());
      json.writeStringField("longestAt", pair.longestAt());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("possibleDeadlocks");
    for (PossibleDeadlock possible : coverage.possibleDeadlocks()) {
      write(json, possible);
    }
    json.writeEndArray();
    json.writeObjectFieldStart("gaps");
    for (GapReason reason : GapReason.values()) {
      Long count = coverage.gaps().get(reason);
      if (count != null) {
        json.writeNumberField(reason.name(), count);
      }
    }
    json.writeEndObject();
    Resolution resolution = coverage.resolution();
    if (resolution.rows() > 0) {
      json.writeObjectFieldStart("resolution");
      json.writeNumberField("unique", resolution.unique());
      json.writeNumberField("run", resolution.run());
      json.writeNumberField("several", resolution.several());
      json.writeNumberField("none", resolution.none());
      json.writeNumberField("unrecorded", resolution.unrecorded());
      json.writeNumberField("withoutKey", resolution.withoutKey());
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, PossibleDeadlock possible) throws IOException {
    json.writeStartObject();
    json.writeNumberField("count", possible.count());
    json.writeArrayFieldStart("operations");
    for (PossibleDeadlock.Side side : List.of(possible.one(), possible.other())) {
      json.writeStartObject();
      json.writeStringField("operation", side.operation());
      json.writeArrayFieldStart("locks");
      for (PossibleDeadlock.Lock lock : List.of(side.first(), side.then())) {
        json.writeStartObject();
        json.writeStringField("table", lock.table());
        json.writeStringField("row", lock.row());
        json.writeStringField("callSite", lock.callSite());
        json.writeStringField("sql", lock.sql());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeStringField("advice", PossibleDeadlock.ADVICE);
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, ObservedTransaction transaction)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("id", Ids.display(transaction.id()));
    if (!transaction.name().isEmpty()) {
      json.writeStringField("name", transaction.name());
    }
    if (!transaction.traceId().isEmpty()) {
      json.writeStringField("traceId", transaction.traceId());
    }
    json.writeStringField("session", transaction.session());
    json.writeStringField("isolation", transaction.level().name());
    if (transaction.attempt() > 1) {
      json.writeNumberField("try", transaction.attempt());
    }
    writeNullable(json, "outcome", transaction.outcome().map(Enum::name).orElse(null));
    json.writeArrayFieldStart("statements");
    for (ObservedStatement statement : transaction.statements()) {
      json.writeStartObject();
      write(json, statement);
      json.writeEndObject();
    }
    json.writeEndArray();
    if (!transaction.context().isEmpty()) {
      writeContext(json, transaction.context());
    }
    json.writeEndObject();
  }

  /** Reads before writes, that no dependency begins or ends at. */
  private static void writeContext(JsonGenerator json, List<ContextRead> context)
      throws IOException {
    json.writeArrayFieldStart("context");
    for (ContextRead read : context) {
      json.writeStartObject();
      write(json, read.statement());
      json.writeStringField("table", read.table());
      json.writeStringField("row", Long.toString(read.row()));
      json.writeNumberField("write", read.write());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, ObservedStatement statement) throws IOException {
    json.writeNumberField("seq", statement.number());
    json.writeStringField("kind", statement.kind().name());
    json.writeStringField("sql", statement.sql());
    json.writeStringField("callSite", CallSite.line(statement.callSite()));
    String method = CallSite.method(statement.callSite());
    if (!method.isEmpty()) {
      json.writeStringField("method", method);
    }
    String caller = CallSite.caller(statement.callSite());
    if (!caller.isEmpty()) {
      json.writeStringField("caller", caller);
    }
    if (statement.undone()) {
      json.writeBooleanField("undone", true);
    }
    if (!statement.waits().isEmpty()) {
      json.writeArrayFieldStart("waits");
      for (LockWait wait : statement.waits()) {
        json.writeStartObject();
        json.writeNumberField("micros", wait.micros());
        if (wait.transaction() != 0) {
          json.writeStringField("for", Ids.display(wait.transaction()));
        }
        json.writeStringField("operation", wait.operation());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
  }

  private static void write(JsonGenerator json, Dependency edge, RowNames rows) throws IOException {
    json.writeStartObject();
    json.writeStringField("from", Ids.display(edge.from()));
    json.writeStringField("to", Ids.display(edge.to()));
    json.writeStringField("kind", edge.kind().term());
    json.writeStringField("table", edge.table());
    json.writeStringField("row", Long.toString(edge.row()));
    json.writeStringField("rowName", edge.table().isEmpty() ? "" : rows.of(edge));
    if (!edge.columns().isEmpty()) {
      json.writeArrayFieldStart("columns");
      for (String column : edge.columns()) {
        json.writeString(column);
      }
      json.writeEndArray();
    }
    json.writeNumberField("fromStatement", edge.fromStatement());
    json.writeNumberField("toStatement", edge.toStatement());
    if (edge.evidence().byPredicate()) {
      json.writeBooleanField("predicate", true);
    }
    if (edge.evidence().possible()) {
      json.writeBooleanField("possible", true);
    }
    json.writeEndObject();
  }

  private static String iso(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }

  private static void writeNullable(JsonGenerator json, String name, @Nullable String value)
      throws IOException {
    if (value == null) {
      json.writeNullField(name);
    } else {
      json.writeStringField(name, value);
    }
  }

  private static String line(Body body) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = generator(out)) {
      body.writeTo(json);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return out.toString();
  }

  private interface Body {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** Escapes HTML markup, besides what JSON requires. */
  private static final class HtmlEscapes extends CharacterEscapes {

    private static final long serialVersionUID = 1L;

    private final int[] ascii = standardAsciiEscapesForJSON();

    HtmlEscapes() {
      for (char c : new char[] {'<', '>', '&', 0x7f}) {
        ascii[c] = ESCAPE_STANDARD;
      }
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ascii.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int c) {
      return null;
    }
  }
}
