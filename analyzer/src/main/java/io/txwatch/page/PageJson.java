package io.txwatch.page;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.GapReason;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.CoverageText;
import io.txwatch.report.JsonReport;
import io.txwatch.report.Meaning;
import io.txwatch.report.PredictedRaces;
import io.txwatch.report.PredictedRaces.Race;
import io.txwatch.report.Prevention;
import io.txwatch.slice.RowVersions;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** What the page's scripts read, beside the anomalies: names and sentences for people. */
final class PageJson {

  /** An example of each phenomenon, and what each DBMS does with it, as JSON on one line. */
  private static final String EXAMPLES =
      PageResources.text("phenomena.json").replaceAll("\\s*\\n\\s*", " ");

  private PageJson() {}

  /** Writes a value. */
  interface Body {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** An object of a type, as one line of ASCII that contains no markup. */
  static String object(String type, Body body) {
    return line(
        json -> {
          json.writeStartObject();
          json.writeStringField("type", type);
          body.writeTo(json);
          json.writeEndObject();
        });
  }

  /** A value, as one line of ASCII that contains no markup. */
  static String line(Body body) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonReport.generator(out)) {
      body.writeTo(json);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return out.toString();
  }

  /** The figures of a live page at this moment. */
  static String status(LiveSource source) {
    LiveSource.Figures figures = source.figures();
    return object(
        "status",
        json -> {
          json.writeStringField("source", source.name());
          json.writeNumberField("millis", System.currentTimeMillis());
          json.writeNumberField("anomalies", figures.anomalies());
          json.writeNumberField("sessions", figures.sessions());
          json.writeNumberField("graphBytes", figures.graphBytes());
          json.writeNumberField("dropped", figures.dropped());
          json.writeFieldName("coverage");
          JsonReport.write(json, figures.coverage());
        });
  }

  /** Writes an anomaly, with the versions of its rows. The object is left open for more fields. */
  static void writeAnomaly(JsonGenerator json, Group group) throws IOException {
    json.writeFieldName("anomaly");
    JsonReport.write(json, group);
    json.writeArrayFieldStart("rows");
    for (Map.Entry<String, List<RowVersions.Step>> row : RowVersions.of(group.first()).entrySet()) {
      json.writeStartObject();
      json.writeStringField("name", row.getKey());
      json.writeArrayFieldStart("steps");
      for (RowVersions.Step step : row.getValue()) {
        json.writeStartObject();
        json.writeNumberField("transaction", step.column());
        json.writeNumberField("seq", step.statement());
        json.writeBooleanField("write", step.isWrite());
        json.writeNumberField("before", step.before());
        if (step.after().isPresent()) {
          json.writeNumberField("after", step.after().get());
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Writes the section of predicted races. */
  static void writePredicted(JsonGenerator json, PredictedRaces predicted) throws IOException {
    json.writeStartObject();
    json.writeStringField("heading", PredictedRaces.HEADING);
    json.writeStringField("counts", predicted.counts());
    json.writeArrayFieldStart("races");
    for (Race race : predicted.confirmed()) {
      json.writeStartObject();
      json.writeStringField("title", race.title());
      json.writeStringField("circumstances", race.circumstances());
      writeTexts(json, "operations", race.operations());
      writeTexts(json, "order", race.order());
      writeTexts(json, "prevention", race.prevention());
      writeTexts(json, "assumptions", race.assumptions());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String name, List<?> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (Object text : texts) {
      json.writeString(text.toString());
    }
    json.writeEndArray();
  }

  /** Writes the names of phenomena and gaps, with what they mean. */
  static void writeNames(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("glossary");
    for (Phenomenon phenomenon : Phenomenon.values()) {
      json.writeObjectFieldStart(phenomenon.name());
      json.writeStringField("term", phenomenon.term());
      json.writeStringField("meaning", Meaning.of(phenomenon));
      json.writeStringField("definition", phenomenon.definition());
      json.writeStringField("source", phenomenon.source());
      json.writeArrayFieldStart("prevention");
      for (String way : Prevention.of(phenomenon)) {
        json.writeString(way);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeFieldName("examples");
    json.writeRawValue(EXAMPLES);
    json.writeObjectFieldStart("gapNames");
    for (GapReason reason : GapReason.values()) {
      json.writeStringField(reason.name(), CoverageText.remedy(reason));
    }
    json.writeEndObject();
  }
}
