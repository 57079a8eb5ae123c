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
 * Compares statements that are generated in each run, and shrunk if they differ. {@code
 * -Djqwik.tries.default=5000} generates more of them. A failure prints the seed; set it as the
 * property's {@code seed} to repeat the run.
 */
class TransparencyProperties {

  private static final Map<ServerKind, DifferentialRunner> RUNNERS =
      new EnumMap<>(ServerKind.class);
  private static final Coverage COVERAGE = new Coverage();

  @Property(edgeCases = EdgeCasesMode.NONE, generation = GenerationMode.RANDOMIZED)
  void watchedOutcomesEqualUnwatchedOnes(
      @ForAll("kinds") ServerKind kind,
      @ForAll boolean transactional,
      @ForAll("steps") List<Step> steps)
      throws SQLException {
    DifferentialRunner runner = RUNNERS.get(kind);
    if (runner == null) {
      runner = DifferentialRunner.of(kind, CorpusScope.requested().levels());
      RUNNERS.put(kind, runner);
    }
    Script script = new Script("property", transactional, steps);
    List<Difference> differences =
        new KnownDifferences(kind)
            .unknown(runner.run(script, COVERAGE, CorpusScope.requested().levels()));
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
    return PortableStatements.steps().list().ofMinSize(1).ofMaxSize(8);
  }
}
