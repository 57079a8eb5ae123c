package io.txwatch.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the corpus raw and watched; there must be no difference.
 *
 * <p>By default it runs every written statement and {@value #SLICE_SCRIPTS} generated scripts at
 * level {@code predicates}, which includes what the other levels do. {@code -Dcorpus=slice} runs
 * them at each level, and a script with a new seed, which a failure prints. {@code -Dcorpus=full}
 * runs every written statement by every method and {@value #FULL_SCRIPTS} generated scripts for
 * each DBMS. The report in {@code target/corpus-report.md} contains the numbers of statements and
 * differences, coverage by level and reason, and the shapes that were most often passed through.
 */
class DifferentialTest {

  private static final int STATEMENTS_PER_SCRIPT = 40;
  private static final int SLICE_SCRIPTS = 2;
  private static final int FULL_SCRIPTS = 100;
  private static final int PASSES = 4;

  private static final Coverage COVERAGE = new Coverage();
  private static final StringBuilder FIGURES = new StringBuilder();

  private static List<Script> scripts(ServerKind kind) {
    List<Script> scripts = new ArrayList<>();
    boolean full = CorpusScope.requested() == CorpusScope.FULL;
    for (int pass = 0; pass < (full ? PASSES : 1); pass++) {
      scripts.addAll(CorpusFiles.scripts(kind, pass));
    }
    for (int seed = 0; seed < (full ? FULL_SCRIPTS : SLICE_SCRIPTS); seed++) {
      scripts.add(GeneratedScripts.of(kind, seed, STATEMENTS_PER_SCRIPT));
    }
    if (CorpusScope.requested() != CorpusScope.QUICK) {
      scripts.add(
          GeneratedScripts.of(
              kind, new Random().nextInt(Integer.MAX_VALUE), STATEMENTS_PER_SCRIPT));
    }
    return scripts;
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void watchedOutcomesEqualUnwatchedOnes(ServerKind kind) throws SQLException, IOException {
    Level[] levels = CorpusScope.requested().levels();
    DifferentialRunner runner = DifferentialRunner.of(kind, levels);
    KnownDifferences known = new KnownDifferences(kind);
    List<Difference> differences = new ArrayList<>();
    Set<String> texts = new HashSet<>();
    long statements = 0;
    for (Script script : scripts(kind)) {
      for (Script.Step step : script.steps()) {
        statements += Math.max(1, step.bindings().size());
        texts.add(step.sql());
      }
      differences.addAll(known.unknown(runner.run(script, COVERAGE, levels)));
    }
    FIGURES.append(
        String.format(
            "| %s | %d | %d | %d | %d |%n",
            kind, statements, texts.size(), differences.size(), known.planDependentCount()));
    Files.writeString(
        Path.of("target/corpus-report.md"),
        "| DBMS | statements | texts | differences | metadata by plan |\n"
            + "|---|---:|---:|---:|---:|\n"
            + FIGURES
            + "\n"
            + COVERAGE.table()
            + "\n"
            + COVERAGE.shapes(80, 3));
    assertThat(differences)
        .as(
            differences.stream()
                .limit(20)
                .map(Difference::toString)
                .collect(Collectors.joining("\n")))
        .isEmpty();
  }
}
