package io.txwatch.page;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.GapReason;
import io.txwatch.live.LiveSource;
import io.txwatch.report.CoverageText;
import io.txwatch.report.JsonReport;
import io.txwatch.report.Meaning;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** What the page's scripts read, beside the anomalies: names and sentences for people. */
final class PageJson {

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
  static String status(LiveSource.Figures figures) {
    return object(
        "status",
        json -> {
          json.writeNumberField("millis", System.currentTimeMillis());
          json.writeNumberField("anomalies", figures.anomalies());
          json.writeNumberField("sessions", figures.sessions());
          json.writeNumberField("graphBytes", figures.graphBytes());
          json.writeNumberField("dropped", figures.dropped());
          json.writeFieldName("coverage");
          JsonReport.write(json, figures.coverage());
        });
  }

  /** Writes the names of phenomena and gaps, with what they mean. */
  static void writeNames(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("glossary");
    for (Phenomenon phenomenon : Phenomenon.values()) {
      json.writeObjectFieldStart(phenomenon.name());
      json.writeStringField("term", phenomenon.term());
      json.writeStringField("meaning", Meaning.of(phenomenon));
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeObjectFieldStart("gapNames");
    for (GapReason reason : GapReason.values()) {
      json.writeStringField(reason.name(), CoverageText.remedy(reason));
    }
    json.writeEndObject();
  }
}
