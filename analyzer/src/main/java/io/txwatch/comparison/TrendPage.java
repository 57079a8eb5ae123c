package io.txwatch.comparison;

import io.txwatch.baseline.Fingerprint;
import io.txwatch.document.Xml;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * How kinds of anomalies develop over runs, as one HTML file without scripts: a row for each kind,
 * a column for each run.
 */
public final class TrendPage {

  private static final String STYLE =
      """
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
      body { max-width: 80rem; margin: 0 auto; padding: 1rem; }
      div { overflow-x: auto; }
      table { border-collapse: collapse; }
      th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid #8886; vertical-align: top; }
      td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
      th[scope=row] { font-weight: 400; overflow-wrap: anywhere; min-width: 14rem; }
      code { font-size: .85rem; }
      .new { font-weight: 700; }
      """;

  private TrendPage() {}

  /**
   * The page.
   *
   * @param runs at least two, the earliest first
   * @param last what the last one has that the one before had not
   */
  public static String html(List<ObservedRun> runs, RunComparison last) {
    Map<Fingerprint, String> titles = new LinkedHashMap<>();
    runs.forEach(run -> run.kinds().forEach((id, kind) -> titles.put(id, kind.title())));
    StringBuilder out = new StringBuilder();
    out.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")
        .append(" style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n")
        .append("<title>txwatch: anomalies over runs</title>\n<style>")
        .append(STYLE)
        .append("</style></head>\n<body>\n<h1>Anomalies over runs</h1>\n<pre>")
        .append(Xml.escape(ComparisonText.of(last)).replace("&#10;", "\n"))
        .append("</pre>\n<p>Occurrences, and how many of 1000 transactions.</p>\n")
        .append("<div tabindex=\"0\" role=\"region\" aria-label=\"Kinds of anomalies\">")
        .append("<table><thead><tr><th scope=\"col\">kind</th>");
    for (ObservedRun run : runs) {
      out.append("<th scope=\"col\">").append(Xml.escape(run.name())).append("</th>");
    }
    out.append("</tr></thead>\n<tbody>\n");
    titles.forEach(
        (id, title) -> {
          boolean isNew = last.added().stream().anyMatch(kind -> kind.id().equals(id));
          out.append(isNew ? "<tr class=\"new\">" : "<tr>")
              .append("<th scope=\"row\">")
              .append(Xml.escape(title))
              .append("<br><code>")
              .append(id)
              .append("</code></th>");
          runs.forEach(run -> out.append("<td class=\"n\">").append(cell(run, id)).append("</td>"));
          out.append("</tr>\n");
        });
    return out.append("</tbody></table></div>\n</body></html>\n").toString();
  }

  private static String cell(ObservedRun run, Fingerprint id) {
    OptionalDouble rate = run.perThousand(id);
    if (run.count(id) == 0) {
      return "–";
    }
    return rate.isEmpty()
        ? Long.toString(run.count(id))
        : String.format(Locale.ROOT, "%d (%.3g)", run.count(id), rate.getAsDouble());
  }
}
