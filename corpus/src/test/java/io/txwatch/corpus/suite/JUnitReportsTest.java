package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.suite.JUnitReports.Result;
import io.txwatch.corpus.suite.JUnitReports.Test;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class JUnitReportsTest {

  @TempDir private Path directory = Path.of("");

  @org.junit.jupiter.api.Test
  void eachTestHasItsResultAndTestsOfOneNameAreNumbered() throws IOException {
    Files.writeString(
        directory.resolve("TEST-a.xml"),
        """
        <testsuite>
          <testcase name="passes()" classname="A"/>
          <testcase name="passes()" classname="A"/>
          <testcase name="fails()" classname="A"><failure type="E" message="1 is not 2"/></testcase>
          <testcase name="throws()" classname="A"><error type="F" message="no"/></testcase>
          <testcase name="waits()" classname="A"><skipped/></testcase>
        </testsuite>
        """);

    assertThat(JUnitReports.read(directory))
        .containsEntry("A#passes()", new Test("A", "passes()", Result.PASSED, ""))
        .containsEntry("A#passes() (2)", new Test("A", "passes()", Result.PASSED, ""))
        .containsEntry("A#fails()", new Test("A", "fails()", Result.FAILED, "E: 1 is not 2"))
        .containsEntry("A#throws()", new Test("A", "throws()", Result.FAILED, "F: no"))
        .containsEntry("A#waits()", new Test("A", "waits()", Result.SKIPPED, ""))
        .hasSize(5);
  }
}
