package io.txwatch.testcase;

import java.util.Map;

/** Writes cases in our own format; {@link CaseReader} reads them. */
public final class CaseWriter {

  private CaseWriter() {}

  /** The text of a case. A line break within a statement becomes a space. */
  public static String write(TestCase testCase) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> header : testCase.headers().entrySet()) {
      line(text, "# " + header.getKey() + ": ", header.getValue());
    }
    testCase.setup().forEach(sql -> line(text, "I: ", sql));
    for (Step step : testCase.steps()) {
      String label = step.label().map(name -> "@" + name).orElse("");
      line(text, step.session() + label + ": ", step.sql());
    }
    testCase.finals().forEach(sql -> line(text, "F: ", sql));
    return text.toString();
  }

  private static void line(StringBuilder text, String head, String rest) {
    text.append(head).append(rest.strip().replaceAll("[\\r\\n]+\\s*", " ")).append('\n');
  }
}
