package io.txwatch.document;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.Dependency;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Report;
import io.txwatch.report.RowNames;

/** Graphviz: the cycle of each anomaly as a cluster. */
final class DotDocument {

  private DotDocument() {}

  static String of(Report report) {
    StringBuilder out = new StringBuilder("digraph anomalies {\n  node [shape=box];\n");
    int cluster = 0;
    for (Group group : report.anomalies()) {
      Anomaly anomaly = group.first();
      out.append("  subgraph cluster_").append(++cluster).append(" {\n    label=");
      out.append(quote(Sentences.title(anomaly) + ", " + Sentences.circumstances(group)));
      out.append(";\n");
      int number = 0;
      for (ObservedTransaction transaction : anomaly.transactions()) {
        out.append("    ").append(node(cluster, ++number)).append(" [label=");
        out.append(quote("T" + number + "\n" + transaction.title())).append("];\n");
      }
      RowNames rows = RowNames.of(anomaly);
      for (Dependency edge : anomaly.cycle()) {
        out.append("    ")
            .append(node(cluster, position(anomaly, edge.from())))
            .append(" -> ")
            .append(node(cluster, position(anomaly, edge.to())))
            .append(" [label=");
        String row = edge.table().isEmpty() ? "" : " " + rows.of(edge);
        out.append(quote(edge.kind().term() + row));
        out.append(edge.evidence().possible() ? ", style=dashed];\n" : "];\n");
      }
      out.append("  }\n");
    }
    return out.append("}\n").toString();
  }

  private static String node(int cluster, int number) {
    return "a" + cluster + "t" + number;
  }

  private static int position(Anomaly anomaly, long transaction) {
    for (int i = 0; i < anomaly.transactions().size(); i++) {
      if (anomaly.transactions().get(i).id() == transaction) {
        return i + 1;
      }
    }
    return 0;
  }

  private static String quote(String text) {
    return '"'
        + text.replaceAll("[\\p{Cntrl}&&[^\n]]", "?")
            .replace("\\", "\\\\")
            .replace("\"", "\\\"")
            .replace("\n", "\\n")
        + '"';
  }
}
