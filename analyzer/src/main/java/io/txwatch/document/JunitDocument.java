package io.txwatch.document;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Report;
import io.txwatch.report.TextReport;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/**
 * JUnit XML, as build servers read it (the schema of Surefire's reports): a failed test case for
 * each kind of anomaly, a skipped one if a baseline accepts it, and one that passed if there is
 * none.
 */
final class JunitDocument {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private JunitDocument() {}

  static String of(Report report) {
    List<Group> groups = report.anomalies();
    long accepted = groups.stream().filter(group -> group.accepted().isPresent()).count();
    StringBuilder out = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.append(
        String.format(
            Locale.ROOT,
            "<testsuite name=\"txwatch\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\""
                + " time=\"0\" timestamp=\"%s\">%n",
            Math.max(1, groups.size()),
            groups.size() - accepted,
            accepted,
            TIME.format(report.written().truncatedTo(ChronoUnit.SECONDS))));
    out.append("  <properties>\n    <property name=\"coverage\" value=\"")
        .append(Xml.escape(TextReport.coverage(report.coverage())))
        .append("\"/>\n  </properties>\n");
    if (groups.isEmpty()) {
      out.append(testCase("no anomaly", "isolation")).append("/>\n");
    }
    for (Group group : groups) {
      Anomaly anomaly = group.first();
      List<String> callSites = Sentences.callSites(anomaly);
      String place = callSites.isEmpty() ? "unknown place" : String.join(", ", callSites);
      String message = Sentences.title(anomaly) + " (" + anomaly.verdict() + ") at " + place;
      out.append(testCase(message, anomaly.phenomenon().name()));
      if (group.accepted().isPresent()) {
        out.append(">\n    <skipped message=\"accepted: ")
            .append(Xml.escape(group.accepted().get().reason()))
            .append("\"/>\n  </testcase>\n");
        continue;
      }
      out.append(">\n    <failure type=\"")
          .append(anomaly.phenomenon().name())
          .append("\" message=\"")
          .append(Xml.escape(message + ", " + Sentences.circumstances(group)))
          .append("\">")
          .append(Xml.escape(TextReport.of(group)).replace("&#10;", "\n"))
          .append("</failure>\n  </testcase>\n");
    }
    return out.append("</testsuite>\n").toString();
  }

  private static String testCase(String name, String className) {
    return "  <testcase name=\""
        + Xml.escape(name)
        + "\" classname=\"txwatch."
        + className
        + "\" time=\"0\"";
  }
}
