package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Path;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingDocumentTest {

  private static final String SCRIPT = "SELECT '<script>alert(1)</script>' AS v -- ```";

  private static final FindingDocument DOCUMENT =
      new FindingDocument(
          "troc found a violation: MariaDB 10.11.5 at REPEATABLE READ",
          List.of("In 5 of 5 fresh runs."),
          "[2]",
          "[1]",
          List.of("CREATE TABLE t (v INT);"),
          List.of(
              new FindingDocument.Line("T1", SCRIPT, "[1]", true),
              new FindingDocument.Line("F", "SELECT v FROM t", "[1]", false)),
          "txwatch replay case.txt --url 'jdbc:mariadb://localhost/test'");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'T1: SELECT v FROM t' gave [1,2], its view gives [1,3] | [1,3] | [1,2]",
        "T1 -> T2: final state [[1, serially 2]], serially [[3]]  | [[3]] | [[1, serially 2]]",
        "'SELECT v' returned [1], serially [2]                     | [2]   | [1]",
        "a deadlock was not broken                                 |"
            + " What the level promises. | a deadlock was not broken",
      })
  void expectedAndActualAreTakenFromTheReason(String reason, String expected, String actual) {
    assertThat(FindingDocument.expected(reason)).isEqualTo(expected);
    assertThat(FindingDocument.actual(reason)).isEqualTo(actual);
  }

  @Test
  void pageShowsMarkupAsTextAndExpectedBesideActual() {
    assertThat(DOCUMENT.html())
        .contains("<section><h2>Expected</h2><pre>[2]</pre></section>\n<section><h2>Actual</h2>")
        .contains("<div class=\"bar wrong\"><code>SELECT &#39;&lt;script&gt;")
        .doesNotContain("<script");
  }

  @Test
  void markdownFencesWhatTheDatabaseWrote() {
    assertThat(DOCUMENT.markdown())
        .contains("Expected:\n\n```\n[2]\n```\n", "````\nT1: SELECT", "<== wrong");
  }

  @Test
  void junitConformsToSurefiresSchema() throws Exception {
    SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
        .newSchema(
            Path.of("../analyzer/src/test/resources/schemas/surefire-test-report.xsd").toFile())
        .newValidator()
        .validate(new StreamSource(new StringReader(DOCUMENT.junit())));
  }
}
