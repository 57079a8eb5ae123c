package io.txwatch.endtoend;

import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The cases and tables among the test resources. */
final class Scenarios {

  private Scenarios() {}

  static TestCase load(String name) throws CaseFormatException {
    return CaseReader.parse(name, String.join("\n", lines(name + ".txt")));
  }

  /** The predicate that is true when the anomaly shows. */
  static OutcomePredicate anomaly(TestCase scenario) {
    return OutcomePredicate.parse(scenario.header("anomaly").orElseThrow());
  }

  /** The lines of a table, split at the commas, the first line being the columns' names. */
  static List<List<String>> table(String file) {
    return lines(file).stream().map(line -> List.of(line.split(",", -1))).toList();
  }

  private static List<String> lines(String file) {
    InputStream stream = Scenarios.class.getResourceAsStream("/scenarios/" + file);
    Objects.requireNonNull(stream, file);
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
