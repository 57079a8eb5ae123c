package io.txwatch.corpus.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The results of one run of a suite, from the XML files that JUnit and Surefire write. */
final class JUnitReports {

  /** How a test ended. */
  enum Result {
    PASSED,
    FAILED,
    SKIPPED
  }

  /**
   * A test. A class whose fixture fails is reported as a test of its own.
   *
   * @param message the type and message of the failure; empty if there is none
   */
  record Test(String className, String name, Result result, String message) {}

  private JUnitReports() {}

  /** The tests in a directory's reports, by class and name. Several of one name are numbered. */
  static Map<String, Test> read(Path directory) throws IOException {
    Map<String, Test> tests = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> reports = files.filter(file -> file.toString().endsWith(".xml")).sorted().toList();
      for (Path report : reports) {
        NodeList cases = parse(report).getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
          Test test = test((Element) cases.item(i));
          String key = test.className() + "#" + test.name();
          int same = 1;
          while (tests.containsKey(same == 1 ? key : key + " (" + same + ")")) {
            same++;
          }
          tests.put(same == 1 ? key : key + " (" + same + ")", test);
        }
      }
    }
    return tests;
  }

  private static Document parse(Path report) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(report.toFile());
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(report + " is no JUnit report: " + e.getMessage(), e);
    }
  }

  private static Test test(Element testCase) {
    Result result = Result.PASSED;
    String message = "";
    for (String kind : List.of("failure", "error")) {
      NodeList failures = testCase.getElementsByTagName(kind);
      if (failures.getLength() > 0) {
        Element failure = (Element) failures.item(0);
        result = Result.FAILED;
        message = failure.getAttribute("type") + ": " + failure.getAttribute("message");
      }
    }
    if (testCase.getElementsByTagName("skipped").getLength() > 0) {
      result = Result.SKIPPED;
    }
    return new Test(
        testCase.getAttribute("classname"), testCase.getAttribute("name"), result, message);
  }
}
