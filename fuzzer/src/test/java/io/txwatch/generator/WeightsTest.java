package io.txwatch.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.dbms.mariadb.MariaDbGeneratedDialect;
import io.txwatch.generator.Productions.Production;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WeightsTest {

  private static final int DRAWS = 3_000;

  @Property(tries = 100)
  void everyAlternativeStaysPossible(
      @ForAll @Size(5) List<@IntRange(min = 1, max = Weights.MAX) Integer> given) {
    Map<String, Integer> raised = new HashMap<>();
    List<Production> lines =
        IntStream.range(0, 5).mapToObj(i -> new Production("a", 4 * i + 2, "line " + i)).toList();
    for (int i = 0; i < given.size(); i++) {
      raised.put("form " + i, given.get(i));
      raised.put(lines.get(i).id(), given.get(i));
    }
    raised.put("rare", given.get(0));
    RandomSource random = new RandomSource(1, 1, Weights.of(raised));
    Set<Integer> forms = new HashSet<>();
    Set<Boolean> answers = new HashSet<>();
    Set<Optional<Production>> drawn = new HashSet<>();
    for (int i = 0; i < DRAWS; i++) {
      forms.add(random.alternative("form", 1, 2, 3, 4, 5));
      answers.add(random.percent("rare", 2));
      drawn.add(random.oneOrNone(lines));
    }

    assertThat(forms).hasSize(5);
    assertThat(answers).hasSize(2);
    assertThat(drawn).hasSize(6);
    assertThat(random.made())
        .hasSize(11)
        .contains("rare", "form 0", "form 4", "a: line 0", "a: line 4");
  }

  @Test
  void aGreaterWeightMakesAProductionMoreOften() {
    RandomSource usual = new RandomSource(1, 1);
    RandomSource weighted = new RandomSource(1, 1, Weights.of(Map.of("rare", 4, "form 1", 4)));

    assertThat(made(usual)).isBetween(250, 350); // 10 of 100
    assertThat(made(weighted)).isBetween(830, 1010); // 40 of 130
    assertThat(first(usual)).isBetween(1400, 1600); // 1 of 2
    assertThat(first(weighted)).isBetween(520, 680); // 1 of 5
  }

  private static int made(RandomSource random) {
    return (int) IntStream.range(0, DRAWS).filter(i -> random.percent("rare", 10)).count();
  }

  private static int first(RandomSource random) {
    return (int)
        IntStream.range(0, DRAWS).filter(i -> random.alternative("form", 1, 1) == 0).count();
  }

  @Test
  void aWeightOutOfRangeIsRejected() {
    assertThatThrownBy(() -> Weights.of(Map.of("a", 0)))
        .hasMessage("the weight of 'a' is 0, not 1 to 4");
    assertThatThrownBy(() -> Weights.of(Map.of("a", 5))).hasMessageContaining("not 1 to 4");
  }

  /** With the same weights the cases are the same, whatever weights others had. */
  @ParameterizedTest
  @EnumSource
  void aCaseDependsOnItsSeedNumberAndWeightsOnly(CaseKind kind) {
    Weights weights = Weights.of(Map.of("statement 3", 4, "index", 3, "second transaction", 2));
    CaseGenerator one = new CaseGenerator(7, new MariaDbGeneratedDialect(), 4, kind);
    CaseGenerator other = new CaseGenerator(7, new MariaDbGeneratedDialect(), 4, kind);
    Stream.of(0L, 1L, 200L, 201L, 5L)
        .forEach(
            number -> {
              other.generate(number);
              assertThat(other.generate(number, weights).testCase())
                  .isEqualTo(one.generate(number, weights).testCase());
            });
    assertThat(one.generate(5, Weights.of(Map.of())))
        .isEqualTo(new CaseGenerator(7, new MariaDbGeneratedDialect(), 4, kind).generate(5));
  }

  @Test
  void aCaseNamesTheProductionsOfItsTablesAndStatements() {
    CaseGenerator generator = new CaseGenerator(7, new MariaDbGeneratedDialect());
    Set<String> made = new HashSet<>();
    for (int i = 0; i < 600; i++) {
      made.addAll(generator.generate(i).productions());
    }
    assertThat(made)
        .contains("index", "foreign key", "statement 0", "query 14", "where 3", "switches 0")
        .contains("lock: FOR UPDATE NOWAIT", "step: ({C} + {L})");
  }
}
