package io.txwatch.generator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.generator.Productions.Production;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProductionsTest {

  private static final int SCHEMAS = 4_000;

  /** Each line of the resource is in a generated case. */
  @ParameterizedTest
  @MethodSource("io.txwatch.dbms.registry.DbmsRegistry#dialects")
  void eachProductionOccurs(GeneratedDialect grammar) {
    List<Production> missing = new ArrayList<>(Productions.of(grammar).all());
    Map<Production, Pattern> patterns = new HashMap<>();
    missing.forEach(production -> patterns.put(production, pattern(production)));
    CaseGenerator generator = new CaseGenerator(4, grammar);
    for (int i = 0; i < SCHEMAS && !missing.isEmpty(); i++) {
      TestCase testCase =
          generator.generate((long) i * CaseKind.STATEMENTS.casesPerSchema()).testCase();
      Set<String> texts = new HashSet<>(testCase.setup());
      testCase.steps().forEach(step -> texts.add(step.sql()));
      missing.removeIf(
          production ->
              switch (production.kind()) {
                case "second transaction" -> hasSecondTransaction(testCase);
                case "begin again" -> testCase.beginsWithinTransaction();
                case "jdbc", "settings" ->
                    testCase.header(production.kind()).equals(Optional.of(production.text()));
                default ->
                    texts.stream()
                        .anyMatch(Objects.requireNonNull(patterns.get(production)).asPredicate());
              });
    }

    assertThat(missing).isEmpty();
    assertThat(Productions.of(grammar).all()).extracting(Production::text).doesNotHaveDuplicates();
  }

  /** The text of a production with anything at its placeholders. */
  private static Pattern pattern(Production production) {
    String text = production.text().split(";;", 2)[0];
    if (production.kind().equals("column")) {
      text = "c\\d " + Pattern.quote(text.substring(text.indexOf(' ') + 1)) + "[ ,)]";
      return Pattern.compile(text);
    }
    StringBuilder regex = new StringBuilder();
    for (String part : text.split("\\{[A-Z]+[ A-Z]*\\}", -1)) {
      regex.append(regex.isEmpty() ? "" : ".+").append(part.isEmpty() ? "" : Pattern.quote(part));
    }
    return Pattern.compile(regex.toString());
  }

  private static boolean hasSecondTransaction(TestCase testCase) {
    List<String> begun = new ArrayList<>();
    for (Step step : testCase.steps()) {
      if (step.role() == Step.Role.BEGIN) {
        if (begun.contains(step.session())) {
          return true;
        }
        begun.add(step.session());
      }
    }
    return false;
  }

  @Test
  void aLineNamesItsDialects() {
    String text = "# comment\n\na | 100 | all but ONE | one\na | 100 | ONE | two\n";

    assertThat(Productions.parse(text, "ONE").all())
        .containsExactly(new Production("a", 100, "two"));
    assertThat(Productions.parse(text, "OTHER").draw("a", new RandomSource(1, 1))).contains("one");
    assertThat(Productions.parse(text, "OTHER").draw("b", new RandomSource(1, 1))).isEmpty();
    assertThatThrownBy(() -> Productions.parse("a | 100 | all", "ONE"))
        .hasMessageContaining("expected 'kind");
  }

  @Test
  void eachNamedDialectExists() throws IOException {
    Set<String> named = new HashSet<>();
    try (InputStream in = Productions.class.getResourceAsStream("productions.txt")) {
      new String(Objects.requireNonNull(in).readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> named.addAll(List.of(line.split("\\s+\\|\\s+", 4)[2].split("\\s+"))));
    }
    named.removeAll(List.of("all", "but"));

    assertThat(DbmsRegistry.dialects()).extracting(GeneratedDialect::name).containsAll(named);
  }
}
