package io.txwatch.document;

import io.txwatch.page.ReportPage;
import io.txwatch.report.Report;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** The formats of documents, by the ending of the file's name. */
public enum DocumentFormat {
  /** One page for a browser, with everything that it needs. */
  HTML(".html", (report, sources) -> ReportPage.html(report)),
  /** Markdown. */
  MARKDOWN(".md", (report, sources) -> MarkdownDocument.of(report)),
  /** Graphviz. */
  DOT(".dot", (report, sources) -> DotDocument.of(report)),
  /** A picture of the first anomaly of each kind. */
  SVG(".svg", (report, sources) -> SvgDocument.of(report)),
  /** SARIF 2.1.0. */
  SARIF(".sarif", SarifDocument::of),
  /** JUnit XML. */
  JUNIT(".xml", (report, sources) -> JunitDocument.of(report));

  private final String ending;
  private final BiFunction<Report, SourceFiles, String> document;

  DocumentFormat(String ending, BiFunction<Report, SourceFiles, String> document) {
    this.ending = ending;
    this.document = document;
  }

  /** The format of a file, by its name. */
  public static Optional<DocumentFormat> of(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return Arrays.stream(values()).filter(format -> name.endsWith(format.ending)).findFirst();
  }

  /** The ending of a file's name: {@code .html}. */
  public String ending() {
    return ending;
  }

  /** The endings, for messages: {@code .html, .md, …}. */
  public static String endings() {
    return Arrays.stream(values()).map(format -> format.ending).collect(Collectors.joining(", "));
  }

  /** Whether a document of this format has a section of predicted races. */
  public boolean showsPredictions() {
    return this == HTML || this == MARKDOWN;
  }

  /** The document's text, for UTF-8. */
  public String write(Report report, SourceFiles sources) {
    return document.apply(report, sources);
  }
}
