package io.txwatch.document;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.history.CallSite;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Explanation;
import io.txwatch.report.JsonReport;
import io.txwatch.report.Meaning;
import io.txwatch.report.Prevention;
import io.txwatch.report.Report;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * SARIF 2.1.0 (OASIS), which code hosts show at the lines of the code: a rule for each phenomenon,
 * and a result for each kind of anomaly, at the line of its first statement.
 */
final class SarifDocument {

  private static final String SCHEMA =
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

  /** What a later run is compared by (section 3.27.17), with the version of its definition. */
  private static final String FINGERPRINT = "txwatch/v1";

  private SarifDocument() {}

  static String of(Report report, SourceFiles sources) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeStringField("$schema", SCHEMA);
      json.writeStringField("version", "2.1.0");
      json.writeArrayFieldStart("runs");
      json.writeStartObject();
      json.writeObjectFieldStart("tool");
      json.writeObjectFieldStart("driver");
      json.writeStringField("name", "txwatch");
      json.writeArrayFieldStart("rules");
      for (Phenomenon phenomenon : phenomena(report.anomalies())) {
        writeRule(json, phenomenon);
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeEndObject();
      json.writeStringField("columnKind", "utf16CodeUnits");
      json.writeArrayFieldStart("results");
      for (Group group : report.anomalies()) {
        writeResult(json, group, sources);
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return out + "\n";
  }

  private static Set<Phenomenon> phenomena(List<Group> groups) {
    Set<Phenomenon> phenomena = EnumSet.noneOf(Phenomenon.class);
    groups.forEach(group -> phenomena.add(group.first().phenomenon()));
    return phenomena;
  }

  private static void writeRule(JsonGenerator json, Phenomenon phenomenon) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", phenomenon.name());
    json.writeStringField("name", camelCase(phenomenon.name()));
    writeText(json, "shortDescription", phenomenon.term());
    writeText(json, "fullDescription", Meaning.of(phenomenon));
    writeText(
        json,
        "help",
        phenomenon.definition()
            + " ("
            + phenomenon.source()
            + ") How to prevent it: "
            + String.join(" ", Prevention.of(phenomenon)));
    json.writeEndObject();
  }

  private static String camelCase(String constant) {
    StringBuilder name = new StringBuilder();
    for (String word : constant.split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return name.toString();
  }

  private static void writeText(JsonGenerator json, String field, String text) throws IOException {
    json.writeObjectFieldStart(field);
    json.writeStringField("text", text);
    json.writeEndObject();
  }

  private static void writeResult(JsonGenerator json, Group group, SourceFiles sources)
      throws IOException {
    Anomaly anomaly = group.first();
    List<ObservedStatement> statements =
        anomaly.transactions().stream().flatMap(t -> t.statements().stream()).toList();
    List<SourceFiles.Place> places =
        statements.stream()
            .flatMap(statement -> sources.place(statement.callSite()).stream())
            .distinct()
            .toList();
    json.writeStartObject();
    json.writeStringField("ruleId", anomaly.phenomenon().name());
    json.writeStringField("level", level(anomaly.verdict()));
    writeText(json, "message", message(group));
    json.writeObjectFieldStart("partialFingerprints");
    json.writeStringField(FINGERPRINT, Fingerprint.of(anomaly).toString());
    json.writeEndObject();
    json.writeArrayFieldStart("locations");
    if (!places.isEmpty()) {
      writeLocation(
          json, places.get(0), Optional.empty(), method(statements, places.get(0), sources));
    }
    json.writeEndArray();
    json.writeArrayFieldStart("relatedLocations");
    for (SourceFiles.Place place : places.subList(Math.min(1, places.size()), places.size())) {
      writeLocation(
          json, place, sqlAt(statements, place, sources), method(statements, place, sources));
    }
    json.writeEndArray();
    json.writeNumberField("occurrenceCount", group.count());
    writeSuppressions(json, group);
    writeTraces(json, anomaly);
    json.writeEndObject();
  }

  private static String level(Verdict verdict) {
    return switch (verdict) {
      case VIOLATION -> "error";
      case HAZARD -> "warning";
      case DEADLOCK -> "note";
    };
  }

  /** That a baseline accepts it (section 3.27.23). A result without any needs an empty list. */
  private static void writeSuppressions(JsonGenerator json, Group group) throws IOException {
    json.writeArrayFieldStart("suppressions");
    if (group.accepted().isPresent()) {
      json.writeStartObject();
      json.writeStringField("kind", "external");
      json.writeStringField("status", "accepted");
      json.writeStringField("justification", group.accepted().get().reason());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** A property bag (section 3.8) with the traces of the transactions, if any is known. */
  private static void writeTraces(JsonGenerator json, Anomaly anomaly) throws IOException {
    List<String> traceIds =
        anomaly.transactions().stream()
            .map(ObservedTransaction::traceId)
            .filter(traceId -> !traceId.isEmpty())
            .distinct()
            .toList();
    if (!traceIds.isEmpty()) {
      json.writeObjectFieldStart("properties");
      json.writeArrayFieldStart("traceIds");
      for (String traceId : traceIds) {
        json.writeString(traceId);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private static Optional<String> sqlAt(
      List<ObservedStatement> statements, SourceFiles.Place place, SourceFiles sources) {
    return at(statements, place, sources).map(ObservedStatement::sql).findFirst();
  }

  private static Optional<String> method(
      List<ObservedStatement> statements, SourceFiles.Place place, SourceFiles sources) {
    return at(statements, place, sources)
        .map(statement -> CallSite.method(statement.callSite()))
        .filter(method -> !method.isEmpty())
        .findFirst();
  }

  private static Stream<ObservedStatement> at(
      List<ObservedStatement> statements, SourceFiles.Place place, SourceFiles sources) {
    return statements.stream()
        .filter(statement -> sources.place(statement.callSite()).filter(place::equals).isPresent());
  }

  private static String message(Group group) {
    Anomaly anomaly = group.first();
    return Sentences.title(anomaly)
        + ": "
        + Meaning.of(anomaly.phenomenon())
        + " "
        + String.join(" ", Explanation.of(anomaly))
        + " "
        + anomaly.advice()
        + " ("
        + Sentences.circumstances(group)
        + ")";
  }

  private static void writeLocation(
      JsonGenerator json,
      SourceFiles.Place place,
      Optional<String> message,
      Optional<String> method)
      throws IOException {
    json.writeStartObject();
    json.writeObjectFieldStart("physicalLocation");
    json.writeObjectFieldStart("artifactLocation");
    json.writeStringField("uri", uri(place.file()));
    json.writeEndObject();
    json.writeObjectFieldStart("region");
    json.writeNumberField("startLine", place.line());
    json.writeEndObject();
    json.writeEndObject();
    if (method.isPresent()) {
      writeLogicalLocation(json, method.get());
    }
    if (message.isPresent()) {
      writeText(json, "message", message.get());
    }
    json.writeEndObject();
  }

  /** The method that the place is in (section 3.33). */
  private static void writeLogicalLocation(JsonGenerator json, String method) throws IOException {
    json.writeArrayFieldStart("logicalLocations");
    json.writeStartObject();
    json.writeStringField("name", method.substring(method.lastIndexOf('.') + 1));
    json.writeStringField("fullyQualifiedName", method);
    json.writeStringField("kind", "function");
    json.writeEndObject();
    json.writeEndArray();
  }

  /** A relative reference: what a URI cannot contain is percent-encoded. */
  private static String uri(String path) {
    try {
      return new java.net.URI(null, null, path, null).toASCIIString();
    } catch (java.net.URISyntaxException e) {
      throw new IllegalStateException(e); // a path alone is always a reference
    }
  }
}
