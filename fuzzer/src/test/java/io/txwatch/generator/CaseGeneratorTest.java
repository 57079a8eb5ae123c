package io.txwatch.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.TestCase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CaseGeneratorTest {

  @ParameterizedTest
  @EnumSource
  void aCaseHangsOnItsSeedAndNumberAlone(Grammar grammar) throws Exception {
    CaseGenerator one = new CaseGenerator(7, grammar);
    CaseGenerator other = new CaseGenerator(7, grammar);
    for (int i = 0; i < 20; i++) {
      other.generate(100 + i);
    }
    for (int i = 0; i < 200; i++) {
      TestCase testCase = one.generate(i).testCase();
      assertThat(testCase).isEqualTo(other.generate(i).testCase());
      assertThat(CaseReader.parse(testCase.name(), CaseWriter.write(testCase))).isEqualTo(testCase);
    }
  }

  @Test
  void anotherSeedMakesOtherCases() {
    assertThat(new CaseGenerator(1, Grammar.H2).generate(0).testCase().steps())
        .isNotEqualTo(new CaseGenerator(2, Grammar.H2).generate(0).testCase().steps());
  }

  @Test
  void everySessionBeginsAndEnds() {
    for (int i = 0; i < 200; i++) {
      TestCase testCase = new CaseGenerator(3, Grammar.MARIADB).generate(i).testCase();
      for (String session : testCase.sessions()) {
        var steps = testCase.steps().stream().filter(s -> s.session().equals(session)).toList();
        if (steps.size() > 1) {
          assertThat(steps.get(0).sql()).isEqualTo("BEGIN");
          assertThat(steps.get(steps.size() - 1).sql()).isIn("COMMIT", "ROLLBACK");
        }
      }
    }
  }
}
