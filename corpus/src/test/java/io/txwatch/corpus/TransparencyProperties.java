package io.txwatch.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.Script.Step;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Compares statements that are generated anew in each run, and shrunk if they differ. {@code
 * -Djqwik.tries.default=5000} generates more of them; a failure prints the seed, which {@code
 * -Djqwik.seeds.whenfixed} and the property's {@code seed} take again.
 */
class TransparencyProperties {

  private static final Map<ServerKind, Twins> TWINS = new EnumMap<>(ServerKind.class);
  private static final Coverage COVERAGE = new Coverage();

  @Property(edgeCases = EdgeCasesMode.NONE, generation = GenerationMode.RANDOMIZED)
  void watchedOutcomesEqualUnwatchedOnes(
      @ForAll("kinds") ServerKind kind,
      @ForAll boolean transactional,
      @ForAll("steps") List<Step> steps)
      throws SQLException {
    Twins twins = TWINS.get(kind);
    if (twins == null) {
      twins = Twins.of(kind, CorpusScope.asked().levels());
      TWINS.put(kind, twins);
    }
    Script script = new Script("property", transactional, steps);
    List<Difference> differences =
        KnownDifferences.of(kind)
            .unknown(twins.run(script, COVERAGE, CorpusScope.asked().levels()));
    assertThat(differences)
        .as(differences.stream().map(Difference::toString).collect(Collectors.joining("\n")))
        .isEmpty();
  }

  @Provide
  static Arbitrary<ServerKind> kinds() {
    return Arbitraries.of(TestServers.kinds().toList());
  }

  @Provide
  static Arbitrary<List<Step>> steps() {
    return SmallStatements.steps().list().ofMinSize(1).ofMaxSize(8);
  }
}
