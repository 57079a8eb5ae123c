package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.campaign.CampaignFinding;
import io.txwatch.campaign.OracleCounts;
import io.txwatch.campaign.PatternCount;
import io.txwatch.campaign.Rejection;
import io.txwatch.campaign.Summary;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.report.JsonReport;
import io.txwatch.testcase.CaseWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The text and the JSON that {@code fuzz} prints of a campaign. */
final class FuzzOutput {

  /** The most reasons, and the most errors, that the text shows. */
  private static final int MAX_SHOWN = 5;

  private FuzzOutput() {}

  /** The progress of a campaign in one line. */
  static String progress(Summary summary) {
    return String.format(
        Locale.ROOT,
        "%.0f s: %d cases, %.1f a second, %d undecided, %d findings%s",
        summary.seconds(),
        summary.cases().executed(),
        summary.casesPerSecond(),
        summary.cases().undecided(),
        summary.findings().reported(),
        summary.findings().classes().isEmpty()
            ? ""
            : summary.findings().classes().entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", ", " (", ")")));
  }

  /** Prints the summary of a campaign. */
  static void print(PrintWriter textOut, Summary summary) {
    textOut.println();
    textOut.println(
        progress(summary)
            + ", "
            + summary.findings().repeated()
            + " more like those, "
            + summary.cases().unsupported()
            + " that no oracle applies to, "
            + summary.findings().unreproduced()
            + " not reproduced");
    textOut.printf(
        Locale.ROOT,
        "%d statements, %.1f %% accepted: %s%n",
        summary.statements().executed(),
        100 * summary.statements().accepted(),
        summary.statements().kinds().entrySet().stream()
            .map(kind -> kind.getValue() + " " + kind.getKey())
            .collect(Collectors.joining(", ")));
    summary.oracles().forEach((oracle, counts) -> textOut.println(oracle + ": " + text(counts)));
    textOut.println(
        summary.observed().coverage().entrySet().stream()
            .map(shown -> shown.getValue() + " " + shown.getKey().plural())
            .collect(Collectors.joining(", ", "coverage: ", "")));
    if (summary.observed().freeThreads().executions() > 0) {
      textOut.println(
          summary.observed().freeThreads().executions()
              + " cases also with freely threaded sessions, "
              + summary.observed().freeThreads().furtherAnomalies()
              + " anomalies in these executions alone");
    }
    if (summary.observed().furtherOrders() > 0) {
      textOut.println(summary.observed().furtherOrders() + " further orders of these cases");
    }
    for (Map.Entry<GraphAnomaly.Kind, Long> anomaly : summary.observed().anomalies().entrySet()) {
      GraphAnomaly.Kind kind = anomaly.getKey();
      textOut.printf(
          Locale.ROOT,
          "%-16s  %-25s in %4d cases, %s by the DBMS's promise, %s by Adya's levels%n",
          kind.level(),
          kind.phenomenon().term(),
          anomaly.getValue(),
          kind.byDbms().name().toLowerCase(Locale.ROOT),
          kind.byAdya().name().toLowerCase(Locale.ROOT));
    }
    PatternTable.of(summary.observed().patterns()).text().forEach(textOut::println);
    if (summary.isUndecided()) {
      textOut.println("UNDECIDED: most cases show nothing about the DBMS");
      List<Rejection> rejections = summary.statements().rejections();
      if (!rejections.isEmpty()) {
        textOut.println("the most frequent errors with which it rejected statements:");
      }
      for (Rejection rejection : rejections.subList(0, Math.min(MAX_SHOWN, rejections.size()))) {
        textOut.printf(
            Locale.ROOT,
            "%6d  %s%n        %s%n",
            rejection.count(),
            Console.printable(rejection.error()),
            Console.printable(rejection.statement()));
      }
    }
    textOut.println("seed " + summary.seed() + " generates the same cases again");
    textOut.flush();
  }

  private static String text(OracleCounts counts) {
    return counts.decided()
        + " decided, "
        + counts.undecidedCases()
        + " undecided"
        + reasons(counts.undecided())
        + ", "
        + counts.notApplicableCases()
        + " not applicable"
        + reasons(counts.notApplicable());
  }

  private static String reasons(Map<String, Long> counts) {
    long others = counts.values().stream().skip(MAX_SHOWN).mapToLong(Long::longValue).sum();
    List<String> shown = new ArrayList<>();
    counts.entrySet().stream()
        .limit(MAX_SHOWN)
        .forEach(each -> shown.add(each.getValue() + " " + Console.printable(each.getKey())));
    if (others > 0) {
      shown.add(others + " for other reasons");
    }
    return shown.isEmpty() ? "" : " (" + String.join("; ", shown) + ")";
  }

  /**
   * Writes a line of JSON for a finding.
   *
   * @param dbms the DBMS and its version
   * @param place the path of its case; empty if it has none
   */
  static void writeJson(PrintWriter out, String dbms, CampaignFinding finding, String place)
      throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "finding");
      json.writeStringField("dbms", dbms);
      json.writeStringField("oracle", finding.oracle());
      json.writeStringField(
          "phenomenon",
          finding
              .verdict()
              .phenomenon()
              .map(Enum::name)
              .orElseGet(() -> violated(finding.oracle())));
      json.writeStringField("isolation", finding.level().name());
      json.writeStringField("case", place);
      json.writeStringField("text", CaseWriter.write(finding.reduced()));
      json.writeNumberField("statements", finding.reduced().steps().size());
      json.writeStringField("reproducedRuns", finding.reproduced() + "/" + finding.runs());
      if (finding.known().isPresent()) {
        json.writeStringField("knownBehaviour", finding.known().get().id());
      } else {
        json.writeNullField("knownBehaviour");
      }
      if (finding.behavesLike().isPresent()) {
        json.writeStringField("behavesLike", finding.behavesLike().get().name());
      } else {
        json.writeNullField("behavesLike");
      }
      json.writeStringField("class", finding.findingClass().name());
      json.writeStringField("reason", finding.reason());
      json.writeArrayFieldStart("others");
      for (OracleVerdict other : finding.others()) {
        json.writeStartObject();
        json.writeStringField("oracle", other.oracle());
        json.writeStringField("result", other.result().name());
        json.writeEndObject();
      }
      json.writeEndArray();
      DatabaseComparisons.writeJson(json, finding.comparisons());
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  /**
   * Writes a line of JSON for a violation that most probably shows the fault of a finding.
   *
   * @param place the path of its case; empty if it has none
   */
  static void writeJson(
      PrintWriter out, String dbms, CampaignFinding finding, CampaignFinding further, String place)
      throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "alsoSeen");
      json.writeStringField("dbms", dbms);
      json.writeStringField("finding", CaseWriter.write(finding.reduced()));
      json.writeStringField("oracle", further.oracle());
      json.writeStringField("isolation", further.level().name());
      json.writeStringField("case", place);
      json.writeStringField("text", CaseWriter.write(further.reduced()));
      json.writeStringField("reason", further.reason());
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  /** What is violated; a crash and a hang of the DBMS are found without an oracle. */
  private static String violated(String oracle) {
    return OracleKind.named(oracle)
        .map(OracleKind::violated)
        .orElseGet(() -> oracle.toUpperCase(Locale.ROOT));
  }

  /** Writes a line of JSON for the summary of a campaign. */
  static void writeJson(PrintWriter out, String dbms, Summary summary) throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "summary");
      json.writeStringField("dbms", dbms);
      json.writeNumberField("seed", summary.seed());
      json.writeNumberField("cases", summary.cases().executed());
      json.writeNumberField("undecided", summary.cases().undecided());
      json.writeNumberField("unsupported", summary.cases().unsupported());
      json.writeNumberField("notReproduced", summary.findings().unreproduced());
      json.writeNumberField("casesPerSecond", summary.casesPerSecond());
      json.writeNumberField("findings", summary.findings().reported());
      json.writeObjectFieldStart("classes");
      for (var count : summary.findings().classes().entrySet()) {
        json.writeNumberField(count.getKey().name(), count.getValue());
      }
      json.writeEndObject();
      json.writeNumberField("repeated", summary.findings().repeated());
      json.writeNumberField("statements", summary.statements().executed());
      json.writeNumberField("accepted", summary.statements().accepted());
      json.writeObjectFieldStart("kinds");
      for (var kind : summary.statements().kinds().entrySet()) {
        json.writeNumberField(kind.getKey(), kind.getValue());
      }
      json.writeEndObject();
      json.writeObjectFieldStart("oracles");
      for (Map.Entry<String, OracleCounts> oracle : summary.oracles().entrySet()) {
        json.writeObjectFieldStart(oracle.getKey());
        json.writeNumberField("decided", oracle.getValue().decided());
        writeReasons(json, "undecided", oracle.getValue().undecided());
        writeReasons(json, "notApplicable", oracle.getValue().notApplicable());
        json.writeEndObject();
      }
      json.writeEndObject();
      json.writeArrayFieldStart("rejections");
      for (Rejection rejection : summary.statements().rejections()) {
        json.writeStartObject();
        json.writeStringField("error", rejection.error());
        json.writeStringField("statement", rejection.statement());
        json.writeNumberField("count", rejection.count());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeObjectFieldStart("coverage");
      for (var shown : summary.observed().coverage().entrySet()) {
        json.writeNumberField(shown.getKey().name(), shown.getValue());
      }
      json.writeEndObject();
      json.writeNumberField("furtherOrders", summary.observed().furtherOrders());
      json.writeObjectFieldStart("freeThreads");
      json.writeNumberField("executions", summary.observed().freeThreads().executions());
      json.writeNumberField(
          "furtherAnomalies", summary.observed().freeThreads().furtherAnomalies());
      json.writeEndObject();
      json.writeArrayFieldStart("anomalies");
      for (Map.Entry<GraphAnomaly.Kind, Long> anomaly : summary.observed().anomalies().entrySet()) {
        json.writeStartObject();
        json.writeStringField("isolation", anomaly.getKey().level().name());
        json.writeStringField("phenomenon", anomaly.getKey().phenomenon().name());
        json.writeNumberField("cases", anomaly.getValue());
        json.writeStringField("dbms", anomaly.getKey().byDbms().name());
        json.writeStringField("adya", anomaly.getKey().byAdya().name());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeArrayFieldStart("patterns");
      for (Map.Entry<PatternCount, Long> pattern : summary.observed().patterns().entrySet()) {
        json.writeStartObject();
        json.writeStringField("pattern", pattern.getKey().pattern());
        json.writeStringField("isolation", pattern.getKey().level().name());
        json.writeStringField("outcome", pattern.getKey().outcome().name());
        json.writeNumberField("cases", pattern.getValue());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeNumberField("seconds", summary.seconds());
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void writeReasons(JsonGenerator json, String name, Map<String, Long> counts)
      throws IOException {
    json.writeObjectFieldStart(name);
    for (Map.Entry<String, Long> reason : counts.entrySet()) {
      json.writeNumberField(reason.getKey(), reason.getValue());
    }
    json.writeEndObject();
  }
}
