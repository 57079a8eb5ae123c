package io.txwatch.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoAppTest {

  private record Run(int exit, List<String> out, List<String> err) {}

  private static Run run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        DemoApp.run(
            args,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return new Run(
        exit,
        out.toString(StandardCharsets.UTF_8).lines().toList(),
        err.toString(StandardCharsets.UTF_8).lines().toList());
  }

  private static Run play(String url, String phase, String... more) {
    List<String> args = new ArrayList<>(List.of("--url", url, "--phase", phase));
    args.addAll(List.of(more));
    return run(args.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "lost-update, paid out 200, 20, READ_COMMITTED",
    "double-booking, tickets issued for 10 seats, 20, READ_COMMITTED",
    "write-skew, shifts left without a doctor, 20, READ_COMMITTED",
    "read-skew, reports do not add up, 21, READ_COMMITTED",
  })
  void originalVersionBreaksTheRule(String phase, String summary, int transactions, String level) {
    Run run = play("jdbc:h2:mem:racy-" + phase, phase);
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out().get(1)).startsWith("own books: BROKEN: ").contains(summary);
    assertThat(run.out().get(run.out().size() - 1))
        .isEqualTo("transactions=" + transactions + " isolation=" + level);
  }

  @ParameterizedTest
  @CsvSource({
    "lost-update, 20, READ_COMMITTED",
    "double-booking, 20, READ_COMMITTED",
    "write-skew, 20, READ_COMMITTED",
    "read-skew, 21, SNAPSHOT",
  })
  void correctedVersionKeepsTheRule(String phase, int transactions, String level) {
    Run run = play("jdbc:h2:mem:fixed-" + phase, phase, "--fixed");
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out().get(1)).startsWith("own books: in order: ");
    assertThat(run.out().get(run.out().size() - 1))
        .isEqualTo("transactions=" + transactions + " isolation=" + level);
  }

  @ParameterizedTest
  @CsvSource({"lost-update, 6", "double-booking, 6", "write-skew, 6", "read-skew, 7"})
  void sqlitePreventsEveryRaceAndTheDemoExplainsIt(
      String phase, int transactions, @TempDir Path directory) {
    String url = "jdbc:sqlite:" + directory.resolve("demo.db");
    Run run = play(url, phase, "--rounds", "3");
    assertThat(run.err()).isEmpty();
    assertThat(run.out().get(1)).startsWith("own books: in order: ");
    assertThat(run.out()).anyMatch(line -> line.startsWith("note: SQLite lets one transaction"));
    assertThat(run.out().get(run.out().size() - 1))
        .isEqualTo("transactions=" + transactions + " isolation=SERIALIZABLE");
    assertThat(play(url, phase, "--fixed", "--rounds", "3").out().get(1))
        .startsWith("own books: in order: ");
  }

  /** With HSQLDB's default transaction model, LOCKS, READ COMMITTED permits each race. */
  @ParameterizedTest
  @CsvSource({
    "lost-update, READ_COMMITTED",
    "double-booking, READ_COMMITTED",
    "write-skew, READ_COMMITTED",
    "read-skew, REPEATABLE_READ",
  })
  void hsqldbHasEveryRaceAndEachCorrectionPreventsIt(String phase, String levelOfCorrection) {
    String url = "jdbc:hsqldb:mem:demo-" + phase;
    Run racy = play(url, phase, "--rounds", "3");
    assertThat(racy.err()).isEmpty();
    assertThat(racy.out().get(1)).startsWith("own books: BROKEN: ");
    assertThat(racy.out().get(racy.out().size() - 1)).endsWith(" isolation=READ_COMMITTED");
    Run fixed = play(url, phase, "--rounds", "3", "--fixed");
    assertThat(fixed.err()).isEmpty();
    assertThat(fixed.out().get(1)).startsWith("own books: in order: ");
    assertThat(fixed.out().get(fixed.out().size() - 1)).endsWith(" isolation=" + levelOfCorrection);
  }

  @Test
  void hsqldbWithMvccIgnoresForUpdateAndTheDemoExplainsIt() {
    Run run = play("jdbc:hsqldb:mem:mvcc;hsqldb.tx=mvcc", "lost-update", "--fixed");
    assertThat(run.out().get(1)).startsWith("own books: BROKEN: ");
    assertThat(run.out()).anyMatch(line -> line.startsWith("note: with hsqldb.tx=mvcc "));
  }

  @Test
  void badUsagePrintsTheUsage() {
    for (String[] args :
        new String[][] {
          {},
          {"--url", "jdbc:h2:mem:x"},
          {"--url", "jdbc:h2:mem:x", "--phase", "nonsense"},
          {"--url", "jdbc:h2:mem:x", "--phase", "write-skew", "--rounds", "none"},
          {"--url", "jdbc:h2:mem:x", "--phase", "write-skew", "--rounds", "0"},
          {"--url", "jdbc:h2:mem:x", "--phase", "write-skew", "--frobnicate"},
          {"--phase", "write-skew", "--url"},
        }) {
      Run run = run(args);
      assertThat(run.exit()).isEqualTo(2);
      assertThat(run.err()).first().asString().startsWith("usage: ");
    }
  }

  @Test
  void unreachableServerIsOneLineAndExitCode3() {
    Run run = play("jdbc:h2:tcp://127.0.0.1:1/none;NETWORK_TIMEOUT=1000", "write-skew");
    assertThat(run.exit()).isEqualTo(3);
    assertThat(run.err()).anyMatch(line -> line.startsWith("demo-app: "));
  }
}
