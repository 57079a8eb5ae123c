package io.txwatch.document;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.BaselineText;
import io.txwatch.report.Counted;
import io.txwatch.report.Meaning;
import io.txwatch.report.OperationText;
import io.txwatch.report.PredictedRaces;
import io.txwatch.report.PredictedRaces.Race;
import io.txwatch.report.Prevention;
import io.txwatch.report.Report;
import io.txwatch.report.TerminalText;
import io.txwatch.report.TextReport;
import java.util.List;
import java.util.stream.Collectors;

/** Markdown: a heading for each anomaly, and its text report as a code block. */
final class MarkdownDocument {

  private MarkdownDocument() {}

  static String of(Report report) {
    StringBuilder out = new StringBuilder();
    out.append("# Anomalies in ").append(Markdown.line(report.source())).append("\n\n");
    long found = report.anomalies().stream().mapToLong(Group::count).sum() + report.ungrouped();
    out.append(
        String.format(
            "%s of %s in %s. Analyzed %s.%n%n",
            Counted.of(found, "anomaly", "anomalies"),
            Counted.of(report.anomalies().size(), "kind"),
            Counted.of(report.coverage().transactions(), "transaction"),
            report.written()));
    for (Group group : report.anomalies()) {
      if (group.accepted().isPresent()) {
        continue;
      }
      Anomaly anomaly = group.first();
      out.append("## ")
          .append(Sentences.title(anomaly))
          .append(": ")
          .append(heading(Sentences.callSites(anomaly)))
          .append("\n\n")
          .append(Meaning.of(anomaly.phenomenon()))
          .append("\n\n")
          .append(Markdown.codeBlock("text", TextReport.of(group)))
          .append("\nIn general:\n\n");
      for (String way : Prevention.of(anomaly.phenomenon())) {
        out.append("- ").append(Markdown.line(way)).append('\n');
      }
      out.append('\n');
    }
    String accepted = BaselineText.accepted(report.anomalies());
    if (!accepted.isEmpty()) {
      out.append("## Accepted\n\n").append(Markdown.codeBlock("text", accepted)).append('\n');
    }
    report.predicted().ifPresent(predicted -> append(out, predicted));
    String operations = OperationText.of(report.anomalies());
    if (!operations.isEmpty()) {
      out.append("## Operations\n\n").append(Markdown.codeBlock("text", operations)).append('\n');
    }
    out.append("## Coverage\n\n")
        .append(Markdown.codeBlock("text", TextReport.coverage(report.coverage())));
    return out.toString();
  }

  private static void append(StringBuilder out, PredictedRaces predicted) {
    out.append("## ").append(PredictedRaces.HEADING).append("\n\n");
    for (Race race : predicted.confirmed()) {
      out.append("### ")
          .append(line(race.title()))
          .append("\n\nOn ")
          .append(line(race.circumstances()))
          .append(":\n\n");
      list(out, race.operations());
      String order =
          race.order().stream()
              .map(statement -> TerminalText.escape(statement.toString()))
              .collect(Collectors.joining("\n"));
      out.append(Markdown.codeBlock("text", order)).append('\n');
      if (!race.prevention().isEmpty()) {
        out.append("Prevented, when it was tried, by:\n\n");
        list(out, race.prevention());
      }
      if (!race.assumptions().isEmpty()) {
        out.append("Assumed:\n\n");
        list(out, race.assumptions());
      }
    }
    out.append(predicted.counts()).append("\n\n");
  }

  private static void list(StringBuilder out, List<?> items) {
    items.forEach(item -> out.append("- ").append(line(item.toString())).append('\n'));
    out.append('\n');
  }

  private static String line(String text) {
    return Markdown.line(TerminalText.escape(text));
  }

  private static String heading(List<String> callSites) {
    return callSites.isEmpty() ? "unknown place" : Markdown.line(String.join(", ", callSites));
  }
}
