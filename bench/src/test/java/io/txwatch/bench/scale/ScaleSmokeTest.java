package io.txwatch.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.bench.Bench;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs each benchmark for a moment, without checking its speed. */
class ScaleSmokeTest {

  @TempDir private Path directory = Path.of("");

  @Test
  void textsCommandReportsEachKindOfText() {
    assertThat(output("texts", "--db=h2", "--texts=60"))
        .content()
        .contains("    bench/run texts --db=h2 --texts=60\n")
        .containsPattern("\\| SELECT of a join, sorted +\\| +\\d+ \\| +\\d+ \\|")
        .containsPattern("\\| mean of these +\\| +\\d+ \\|");
  }

  @Test
  void streamCommandReportsTheShareOfRowsThatAreSeen() {
    assertThat(output("stream", "--db=h2", "--rows=60000", "--rounds=1"))
        .content()
        .containsPattern("\\| H2 [0-9.]+, in process \\| .* 100\\.0 % \\|");
  }

  @Test
  void connectionsCommandReportsBothPhases() {
    assertThat(
            output(
                "connections",
                "--db=postgresql",
                "--connections=3",
                "--tables=4",
                "--transactions=20",
                "--rounds=1"))
        .content()
        .containsPattern("\\| PostgreSQL [0-9.]+ +\\| first \\| ")
        .containsPattern("\\| PostgreSQL [0-9.]+ +\\|  warm \\| .* 100\\.0 % \\|");
  }

  private Path output(String command, String... options) {
    Path out = directory.resolve(command);
    String[] arguments = new String[options.length + 2];
    arguments[0] = command;
    System.arraycopy(options, 0, arguments, 1, options.length);
    arguments[options.length + 1] = "--out=" + out;
    assertThat(Bench.commandLine().execute(arguments)).isZero();
    return out;
  }
}
