package io.txwatch.testcase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaseReaderTest {

  @Test
  void parsesOwnFormat() throws Exception {
    TestCase read =
        CaseReader.parse(
            "p4",
            """
            # source: Hermitage
            I: CREATE TABLE t (id INT PRIMARY KEY) {ENGINE}

            T1: BEGIN
            # a remark without a colon
            T1@a: SELECT id FROM t
            T2: INSERT INTO t VALUES (1)
            T1: COMMIT
            F: SELECT * FROM t
            """);

    assertThat(read.headers()).containsExactly(Map.entry("source", "Hermitage"));
    assertThat(read.setup()).containsExactly("CREATE TABLE t (id INT PRIMARY KEY) {ENGINE}");
    assertThat(read.sessions()).containsExactly("T1", "T2");
    assertThat(read.steps())
        .containsExactly(
            new Step(1, "T1", Optional.empty(), "BEGIN"),
            new Step(2, "T1", Optional.of("a"), "SELECT id FROM t"),
            new Step(3, "T2", Optional.empty(), "INSERT INTO t VALUES (1)"),
            new Step(4, "T1", Optional.empty(), "COMMIT"));
    assertThat(read.finals()).containsExactly("SELECT * FROM t");
  }

  @Test
  void parsesTrocsFormat() throws Exception {
    TestCase read =
        CaseReader.parse(
            "mariadb27992",
            """
            CREATE TABLE t(c1 INT PRIMARY KEY)
            INSERT INTO t(c1) VALUES (8);

            RC
            BEGIN
            UPDATE t SET c1 = 5
            COMMIT

            RC
            BEGIN
            DELETE FROM t
            COMMIT

            1-2-1-2-1-2
            END

            Error: Inconsistent final database state
            """);

    assertThat(read.header("isolation")).contains("RC");
    assertThat(CaseWriter.write(read))
        .isEqualTo(
            """
            # format: troc
            # isolation: RC
            I: CREATE TABLE t(c1 INT PRIMARY KEY)
            I: INSERT INTO t(c1) VALUES (8)
            T1: BEGIN
            T2: BEGIN
            T1: UPDATE t SET c1 = 5
            T2: DELETE FROM t
            T1: COMMIT
            T2: COMMIT
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'T1: BEGIN\nselect 1'                               | line 2: expected '# key: value'",
        "'I: CREATE TABLE t (a INT)'                          | no session submits anything",
        "'T1: BEGIN\n"
            + "T2:'                                    | line 2: no statement behind the colon",
        "'hello'                                              | not a case: expected lines",
        "'CREATE TABLE t(a INT)\n\nRC\nBEGIN\n\nRC\nBEGIN\n\n1-3' | names '3', expected 1 or 2",
        "'CREATE TABLE t(a INT)\n\nRC\nBEGIN\n\nRC\nBEGIN\n\n1-1' | more turns for T1",
        "'CREATE TABLE t(a INT)\n\nRC\nBEGIN\n\nRC\nBEGIN\n\n1'   | leaves out 'BEGIN' of T2",
      })
  void invalidCasesAreRejectedWithTheirLine(String text, String message) {
    assertThatThrownBy(() -> CaseReader.parse("x", text))
        .isInstanceOf(CaseFormatException.class)
        .hasMessageContaining(message);
  }

  @Property(tries = 200)
  void writtenCasesAreReadBack(@ForAll("cases") TestCase testCase) throws Exception {
    assertThat(CaseReader.parse(testCase.name(), CaseWriter.write(testCase))).isEqualTo(testCase);
  }

  @Provide
  Arbitrary<TestCase> cases() {
    Arbitrary<String> sql =
        Arbitraries.of("BEGIN", "SELECT ':'", "# no remark", "T1: x", "SELECT 1 -- F: 2", "COMMIT");
    Arbitrary<List<String>> statements = sql.list().ofMaxSize(3);
    Arbitrary<Step> step =
        Combinators.combine(
                Arbitraries.of("T1", "T2", "T13"), Arbitraries.of("a", "b2").optional(), sql)
            .as((session, label, text) -> new Step(0, session, label, text));
    return Combinators.combine(
            Arbitraries.maps(Arbitraries.of("source", "anomaly", "isolation"), sql).ofMaxSize(2),
            statements,
            step.list().ofMinSize(1).ofMaxSize(6),
            statements)
        .as(
            (headers, setup, steps, finals) ->
                new TestCase("c", headers, setup, numbered(steps), finals));
  }

  private static List<Step> numbered(List<Step> steps) {
    List<Step> numbered = new ArrayList<>();
    for (Step step : steps) {
      numbered.add(new Step(numbered.size() + 1, step.session(), step.label(), step.sql()));
    }
    return numbered;
  }
}
