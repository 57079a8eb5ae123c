package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.coverage.Coverage;
import io.txwatch.format.ForeignFormat;
import io.txwatch.format.ForeignHistory;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Loss;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.BaselineText;
import io.txwatch.report.Counted;
import io.txwatch.report.JsonReport;
import io.txwatch.report.OperationText;
import io.txwatch.report.TextReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code check} for a file or a topic.
 *
 * @param file the file's path, or the topic's URL
 * @param format the name of its format
 * @param level the level of all transactions; null for each transaction's own
 * @param groups the anomalies
 * @param operations the number of reads and writes
 * @param transactions the number of transactions
 * @param valid true, false, or empty for unknown
 * @param reason why it is unknown, or another remark; empty if none
 * @param coverage the coverage; null for histories of other tools
 * @param losses what could not be read
 * @param seconds how long the check took
 * @param readingSeconds how much of it was spent on reading the file; negative if unknown
 */
record CheckResult(
    String file,
    String format,
    @Nullable IsolationLevel level,
    AnomalyGroups groups,
    long operations,
    long transactions,
    Optional<Boolean> valid,
    String reason,
    @Nullable Coverage coverage,
    List<Loss> losses,
    double seconds,
    double readingSeconds) {

  /** The gaps by which a verdict may miss events. */
  private static final Set<GapReason> LOST_EVENTS =
      EnumSet.of(
          GapReason.OVERFLOW,
          GapReason.TORN_RECORD,
          GapReason.CUT_OFF,
          GapReason.FAULT,
          GapReason.FORGOTTEN,
          GapReason.SHED,
          GapReason.NOT_RECORDED);

  static CheckResult ofOwn(
      String file,
      AnomalyGroups groups,
      Coverage coverage,
      List<Loss> losses,
      double seconds,
      double readingSeconds) {
    long operations = coverage.rowsRead() + coverage.rowsWritten();
    boolean complete =
        losses.isEmpty() && coverage.gaps().keySet().stream().noneMatch(LOST_EVENTS::contains);
    boolean violated =
        groups.groups().stream().anyMatch(group -> FailOn.VIOLATION.includes(group.first()));
    Optional<Boolean> valid =
        violated
            ? Optional.of(false)
            : complete && operations > 0 ? Optional.of(true) : Optional.empty();
    String reason =
        valid.isPresent() ? "" : complete ? "nothing was read or written" : "events are missing";
    return new CheckResult(
        file,
        "txwatch",
        null,
        groups,
        operations,
        coverage.transactions(),
        valid,
        reason,
        coverage,
        losses,
        seconds,
        readingSeconds);
  }

  static CheckResult ofForeign(
      String file,
      ForeignFormat format,
      IsolationLevel level,
      AnomalyGroups groups,
      ForeignHistory.Verdict verdict,
      double seconds) {
    return new CheckResult(
        file,
        format.id(),
        level,
        groups,
        verdict.operations(),
        verdict.transactions(),
        verdict.valid(),
        verdict.reason(),
        null,
        List.of(),
        seconds,
        -1);
  }

  /**
   * Prints it for people.
   *
   * @param rowLevel whether to print what only rows connect
   */
  void print(PrintWriter out, boolean rowLevel) {
    int width = Terminal.width();
    for (AnomalyGroups.Group group : groups.groups()) {
      if (group.accepted().isEmpty()) {
        out.println(TextReport.fitting(width, group));
      }
    }
    out.print(BaselineText.accepted(groups.groups()));
    out.print(OperationText.of(groups.groups()));
    out.printf(
        Locale.ROOT,
        "%s: %s, %s, %s, %.1f s%s%n",
        file,
        Counted.of(transactions, "transaction"),
        Counted.of(operations, "operation"),
        anomalies(),
        seconds,
        readingSeconds < 0
            ? ""
            : String.format(Locale.ROOT, " (%.1f s of it to read the file)", readingSeconds));
    if (level != null) {
      out.println(
          format
              + " held to "
              + level
              + ": "
              + valid.map(v -> v ? "valid" : "not valid").orElse("unknown"));
    }
    if (!reason.isEmpty()) {
      out.println(reason);
    }
    if (coverage != null) {
      out.print(TextReport.coverage(width, coverage));
      if (rowLevel) {
        out.print(TextReport.rowLevel(width, coverage));
      }
    }
    for (Loss loss : losses) {
      out.println("lost: " + loss);
    }
    out.flush();
  }

  private String anomalies() {
    long count =
        groups.ungrouped() + groups.groups().stream().mapToLong(AnomalyGroups.Group::count).sum();
    int kinds = groups.groups().size();
    long accepted = groups.groups().stream().filter(g -> g.accepted().isPresent()).count();
    return count == 0
        ? "no anomaly"
        : (count == 1 ? "1 anomaly" : count + " anomalies")
            + " of "
            + (kinds == 1 ? "1 kind" : kinds + " kinds")
            + (accepted == 0 ? "" : ", " + accepted + " of them accepted");
  }

  void writeJson(PrintWriter out) throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "check");
      json.writeStringField("file", file);
      json.writeStringField("format", format);
      if (level != null) {
        json.writeStringField("isolation", level.name());
      }
      json.writeNumberField("operations", operations);
      json.writeNumberField("transactions", transactions);
      if (valid.isPresent()) {
        json.writeBooleanField("valid", valid.get());
      } else {
        json.writeStringField("valid", "unknown");
      }
      json.writeStringField("reason", reason);
      json.writeArrayFieldStart("anomalies");
      for (AnomalyGroups.Group group : groups.groups()) {
        JsonReport.write(json, group);
      }
      json.writeEndArray();
      if (coverage != null) {
        json.writeFieldName("coverage");
        JsonReport.write(json, coverage);
      }
      writeLosses(json);
      json.writeNumberField("seconds", seconds);
      if (readingSeconds >= 0) {
        json.writeNumberField("readingSeconds", readingSeconds);
      }
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private void writeLosses(JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("losses");
    for (Loss loss : losses) {
      json.writeStartObject();
      json.writeNumberField("offset", loss.offset());
      json.writeNumberField("bytes", loss.bytes());
      json.writeStringField("what", loss.what());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
