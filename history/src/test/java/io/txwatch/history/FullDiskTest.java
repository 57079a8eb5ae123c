package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A full disk, simulated by the shell's limit on file sizes. */
@EnabledOnOs(OS.LINUX)
class FullDiskTest {

  private static final int EVENTS = 20_000;

  @Test
  void fullDiskIsReportedOnceAndTheApplicationContinues(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("history");
    Path output = directory.resolve("output");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process =
        new ProcessBuilder(
                "bash",
                "-c",
                "ulimit -f 256; exec \"$@\"",
                "limited",
                java.toString(),
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                Application.class.getName(),
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

    List<String> lines = Files.readAllLines(output);
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).startsWith("txwatch: " + file + ": events are lost: ");
    long lost = Long.parseLong(lines.get(1));
    List<Event> seen = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(file)) {
      reader.forEach(seen::add);
    }
    seen.removeIf(event -> event instanceof Event.Gap);
    assertThat(lost).isPositive();
    assertThat(seen.size() + lost).isEqualTo(EVENTS);
  }

  /** Writes events, and prints how many were lost. */
  static final class Application {

    private Application() {}

    public static void main(String[] args) throws Exception {
      HistoryWriter writer = HistoryWriter.open(Path.of(args[0]));
      for (int i = 1; i <= EVENTS; i++) {
        writer.accept(new Event.TransactionEnded(1, i, Outcome.COMMITTED, i, 1));
      }
      writer.close();
      System.out.println(writer.lost());
    }
  }
}
