package io.txwatch.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.AcceptedAnomaly;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.coverage.Coverage;
import io.txwatch.page.ExampleAnomalies;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Report;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class DocumentsTest {

  private static final Coverage COVERAGE =
      new Coverage(2, 20, 20, 60, 60, 40, 20, 0, 0, 0, Map.of());

  private static Report report(Anomaly... anomalies) {
    List<Group> groups = List.of(anomalies).stream().map(Group::new).toList();
    return new Report("shop_*.history", Instant.EPOCH, groups, 0, COVERAGE);
  }

  private static Report withAnAcceptedKind() {
    Group accepted =
        new Group(ExampleAnomalies.lostUpdate())
            .accepted(
                Optional.of(
                    new AcceptedAnomaly(
                        Fingerprint.of(ExampleAnomalies.lostUpdate()),
                        "one clerk <at a time>",
                        "ada",
                        Optional.empty(),
                        "")));
    return new Report(
        "shop.history",
        Instant.EPOCH,
        List.of(accepted, new Group(ExampleAnomalies.skewOfThree())),
        0,
        COVERAGE);
  }

  private static final List<Report> REPORTS =
      List.of(
          report(),
          report(ExampleAnomalies.lostUpdate()),
          report(ExampleAnomalies.lostUpdate(), ExampleAnomalies.skewOfThree()),
          report(ExampleAnomalies.lostUpdateOfTraces()),
          withAnAcceptedKind());

  @Test
  void endingOfTheNameSelectsTheFormat() {
    assertThat(DocumentFormat.of(Path.of("a", "report.HTML"))).contains(DocumentFormat.HTML);
    assertThat(DocumentFormat.of(Path.of("anomalies.sarif"))).contains(DocumentFormat.SARIF);
    assertThat(DocumentFormat.of(Path.of("report.pdf"))).isEmpty();
    assertThat(DocumentFormat.endings()).isEqualTo(".html, .md, .dot, .svg, .sarif, .xml");
  }

  @Test
  void sarifNamesTheLinesOfTheSources(@TempDir Path root) throws Exception {
    Path sources = Files.createDirectories(root.resolve("src/main/java/my shop"));
    Files.createFile(sources.resolve("BankService.java"));
    String text =
        DocumentFormat.SARIF.write(
            report(ExampleAnomalies.lostUpdate(), ExampleAnomalies.skewOfThree()),
            SourceFiles.below(root));
    JsonNode run = new ObjectMapper().readTree(text).get("runs").get(0);
    assertThat(run.at("/tool/driver/rules").findValuesAsText("id"))
        .containsExactly("LOST_UPDATE", "G2_ITEM");
    JsonNode lostUpdate = run.at("/results/0");
    assertThat(lostUpdate.get("level").asText()).isEqualTo("warning");
    assertThat(lostUpdate.at("/partialFingerprints/txwatch~1v1").asText())
        .isEqualTo(Fingerprint.of(ExampleAnomalies.lostUpdate()).toString());
    assertThat(lostUpdate.at("/locations/0/physicalLocation/artifactLocation/uri").asText())
        .isEqualTo("src/main/java/my%20shop/BankService.java");
    assertThat(lostUpdate.at("/locations/0/physicalLocation/region/startLine").asInt())
        .isEqualTo(68);
    assertThat(lostUpdate.at("/locations/0/logicalLocations/0/fullyQualifiedName").asText())
        .isEqualTo("shop.BankService.transfer");
    assertThat(lostUpdate.get("relatedLocations").findValuesAsText("uri"))
        .containsExactly("src/main/java/my%20shop/BankService.java", "BillingService.java");
    assertThat(run.at("/results/1/level").asText()).isEqualTo("error");
  }

  @Test
  void tracesArePropertiesOfASarifResult() throws Exception {
    JsonNode run =
        new ObjectMapper()
            .readTree(
                DocumentFormat.SARIF.write(
                    report(ExampleAnomalies.lostUpdateOfTraces(), ExampleAnomalies.lostUpdate()),
                    SourceFiles.NONE))
            .get("runs")
            .get(0);
    assertThat(run.at("/results/0/properties/traceIds"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "4bf92f3577b34da6a3ce929d0e0e4736", "</script><script>window.hit=3</script>");
    assertThat(run.at("/results/1").has("properties")).isFalse();
  }

  @Test
  void fileNameOfSeveralFilesIsNotResolved(@TempDir Path root) throws Exception {
    Files.createFile(Files.createDirectories(root.resolve("a")).resolve("Bank.java"));
    Files.createFile(Files.createDirectories(root.resolve("b")).resolve("Bank.java"));
    assertThat(SourceFiles.below(root).place("Bank.java:3 (usually)"))
        .contains(new SourceFiles.Place("Bank.java", 3));
    assertThat(SourceFiles.below(root).place("c.Bank.pay (Bank.java:3)"))
        .contains(new SourceFiles.Place("Bank.java", 3));
    assertThat(SourceFiles.NONE.place("unknown")).isEmpty();
  }

  @Test
  void fileOfTheMethodsPackageIsResolved(@TempDir Path root) throws Exception {
    for (String directory : List.of("src/shop/a", "src/shop/b", "a")) {
      Files.createFile(Files.createDirectories(root.resolve(directory)).resolve("Bank.java"));
    }
    assertThat(SourceFiles.below(root).place("shop.a.Bank.Inner.pay (Bank.java:3) (usually)"))
        .contains(new SourceFiles.Place("src/shop/a/Bank.java", 3));
  }

  @Test
  void junitHasAFailedTestForEachKind() throws Exception {
    Document xml =
        parse(DocumentFormat.JUNIT.write(report(ExampleAnomalies.lostUpdate()), SourceFiles.NONE));
    Element suite = xml.getDocumentElement();
    assertThat(suite.getAttribute("failures")).isEqualTo("1");
    Element failure = (Element) suite.getElementsByTagName("failure").item(0);
    assertThat(failure.getAttribute("message"))
        .startsWith("Lost update (HAZARD) at BankService.java:68");
    assertThat(failure.getTextContent()).contains("why ", "prevent ");
  }

  @Test
  void whatABaselineAcceptsIsSuppressedSkippedAndListedApart() throws Exception {
    Report report = withAnAcceptedKind();
    JsonNode results =
        new ObjectMapper()
            .readTree(DocumentFormat.SARIF.write(report, SourceFiles.NONE))
            .at("/runs/0/results");
    assertThat(results.at("/0/suppressions/0/justification").asText())
        .isEqualTo("one clerk <at a time>");
    assertThat(results.at("/1/suppressions")).isEmpty();
    Element suite =
        parse(DocumentFormat.JUNIT.write(report, SourceFiles.NONE)).getDocumentElement();
    assertThat(suite.getAttribute("failures")).isEqualTo("1");
    assertThat(suite.getAttribute("skipped")).isEqualTo("1");
    assertThat(((Element) suite.getElementsByTagName("skipped").item(0)).getAttribute("message"))
        .isEqualTo("accepted: one clerk <at a time>");
    assertThat(DocumentFormat.MARKDOWN.write(report, SourceFiles.NONE))
        .contains("## Accepted", ": one clerk <at a time> (ada)")
        .doesNotContain("## Lost update");
  }

  @Test
  void sarifConformsToThePublishedSchema() throws Exception {
    Schema schema;
    try (InputStream published =
        DocumentsTest.class.getResourceAsStream("/schema/sarif-schema-2.1.0.json")) {
      schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7).getSchema(published);
    }
    for (Report report : REPORTS) {
      String text = DocumentFormat.SARIF.write(report, SourceFiles.NONE);
      assertThat(schema.validate(text, InputFormat.JSON)).isEmpty();
      assertThat(schema.validate(text.replace("\"ruleId\"", "\"rule\""), InputFormat.JSON))
          .hasSize(report.anomalies().size());
    }
  }

  @Test
  void junitConformsToSurefiresSchema() throws Exception {
    javax.xml.validation.Schema schema =
        SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
            .newSchema(DocumentsTest.class.getResource("/schemas/surefire-test-report.xsd"));
    for (Report report : REPORTS) {
      String text = DocumentFormat.JUNIT.write(report, SourceFiles.NONE);
      schema.newValidator().validate(new StreamSource(new StringReader(text)));
      assertThatThrownBy(
              () ->
                  schema
                      .newValidator()
                      .validate(
                          new StreamSource(new StringReader(text.replace("tests=", "cases=")))))
          .isInstanceOf(SAXException.class);
    }
  }

  @Test
  void junitWithoutAnomaliesHasATestThatPassed() throws Exception {
    Document xml = parse(DocumentFormat.JUNIT.write(report(), SourceFiles.NONE));
    assertThat(xml.getDocumentElement().getAttribute("tests")).isEqualTo("1");
    assertThat(xml.getElementsByTagName("failure").getLength()).isZero();
  }

  @Test
  void svgIsWellFormedAndHasAnArrowForEachDependency() throws Exception {
    Document svg =
        parse(
            DocumentFormat.SVG.write(
                report(ExampleAnomalies.lostUpdate(), ExampleAnomalies.skewOfThree()),
                SourceFiles.NONE));
    long arrows = 0;
    for (int i = 0; i < svg.getElementsByTagName("path").getLength(); i++) {
      Element path = (Element) svg.getElementsByTagName("path").item(i);
      arrows += path.getAttribute("class").startsWith("edge") ? 1 : 0;
    }
    assertThat(arrows).isEqualTo(2 + 3);
    assertThat(svg.getElementsByTagName("script").getLength()).isZero();
    assertThat(svg.getElementsByTagName("img").getLength()).isZero();
  }

  @Test
  void markdownEscapesNamesAndFencesText() {
    String text =
        DocumentFormat.MARKDOWN.write(report(ExampleAnomalies.lostUpdate()), SourceFiles.NONE);
    assertThat(text)
        .startsWith("# Anomalies in shop\\_\\*.history\n")
        .contains(
            "## Lost update: BankService.java:68, BankService.java:83, BillingService.java:12");
  }

  @Test
  void dotQuotesLabels() {
    assertThat(DocumentFormat.DOT.write(report(ExampleAnomalies.lostUpdate()), SourceFiles.NONE))
        .contains("a1t1 -> a1t2 [label=\"rw account row 7\"];")
        .contains("a1t2 -> a1t1 [label=\"ww account row 7\"];");
  }

  @Test
  void htmlContainsNoMarkupOfAStatement() {
    assertThat(DocumentFormat.HTML.write(report(ExampleAnomalies.lostUpdate()), SourceFiles.NONE))
        .doesNotContain("<img", "window.hit=2</script>")
        .contains("\\u003Cimg src=https://example.org/x");
  }

  private static Document parse(String xml) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
  }
}
