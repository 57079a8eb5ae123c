package io.txwatch.page;

import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.JsonReport;
import io.txwatch.report.Report;
import io.txwatch.slice.CaseSlice;
import io.txwatch.slice.HistorySlice;

/**
 * A report as one HTML file: it contains its style, its scripts and its data, and requests nothing.
 */
public final class ReportPage {

  private ReportPage() {}

  /** The file's text. */
  public static String html(Report report) {
    String style = PageResources.text(PageResources.STYLE);
    String script = PageResources.script();
    String policy =
        "default-src 'none'; style-src "
            + PageResources.hash(style)
            + "; script-src "
            + PageResources.hash(script)
            + "; base-uri 'none'; form-action 'none'";
    return PageResources.page(
        "<meta http-equiv=\"Content-Security-Policy\" content=\""
            + policy
            + "\">\n<style>"
            + style
            + "</style>",
        "<script type=\"application/json\" id=\"data\">"
            + json(report)
            + "</script>\n<script>"
            + script
            + "</script>");
  }

  private static String json(Report report) {
    return PageJson.object(
        "report",
        json -> {
          json.writeStringField("source", report.source());
          json.writeStringField("written", report.written().toString());
          json.writeNumberField("ungrouped", report.ungrouped());
          PageJson.writeNames(json);
          json.writeFieldName("coverage");
          JsonReport.write(json, report.coverage());
          json.writeArrayFieldStart("anomalies");
          for (Group group : report.anomalies()) {
            json.writeStartObject();
            PageJson.writeAnomaly(json, group);
            json.writeStringField("case", CaseSlice.of(group.first()));
            json.writeFieldName("history");
            json.writeBinary(HistorySlice.bytes(group.first()));
            json.writeEndObject();
          }
          json.writeEndArray();
          if (report.predicted().isPresent()) {
            json.writeFieldName("predicted");
            PageJson.writePredicted(json, report.predicted().get());
          }
        });
  }
}
