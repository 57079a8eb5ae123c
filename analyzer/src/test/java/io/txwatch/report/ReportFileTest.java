package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The file of anomalies, and what can be wrong with it. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Timeout(30)
class ReportFileTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory = Path.of("");
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  @Test
  void newFileIsOwnerOnlyAndExistingFileKeepsItsModeAndLines() throws Exception {
    Path file = directory.resolve("below").resolve("report");
    write(file, "{1}");
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    write(file, "{2}");
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
    assertThat(file).hasContent("{1}\n{2}\n");
    assertThat(warnings).isEmpty();
  }

  @Test
  void directoryIsReportedAtOnceAndLinesAreCounted() throws Exception {
    ReportFile report = append(directory);
    assertThat(report.openFailure(SOON))
        .contains("txwatch.report: cannot write " + directory + ": Is a directory");
    report.writeLine("{1}");
    report.writeLine("{2}");
    report.close();
    assertThat(warnings)
        .containsExactly(
            "txwatch.report: cannot write " + directory + ": Is a directory",
            directory + ": 2 anomalies are missing in this file");
  }

  @Test
  void pathBelowAFileIsReportedAtOnce() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    ReportFile report = append(file.resolve("report"));
    assertThat(report.openFailure(SOON))
        .contains(
            "txwatch.report: cannot write "
                + file.resolve("report")
                + ": "
                + file
                + " is not a directory");
    report.close();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void fullDiskIsReportedOnceAndMissingLinesAtTheEnd() {
    ReportFile report = append(Path.of("/dev/full"));
    for (int i = 0; i < 5; i++) {
      report.writeLine("{" + i + "}");
    }
    report.close();
    assertThat(warnings)
        .containsExactly(
            "cannot write /dev/full, anomalies are missing in it: No space left on device",
            "/dev/full: 5 anomalies are missing in this file");
  }

  @Test
  void pipeWithoutAReaderBlocksNoCaller() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    ReportFile report = append(pipe);
    assertThat(report.openFailure(Duration.ofMillis(10))).isEmpty();
    String line = "x".repeat(1 << 20);
    for (int i = 0; i < 10; i++) {
      report.writeLine(line);
    }
    report.close();
    assertThat(warnings)
        .containsExactly(
            "cannot write "
                + pipe
                + ", anomalies are missing in it: it does not take what is written to it",
            pipe + ": 10 anomalies are missing in this file");
    Files.newInputStream(pipe).close(); // lets the thread end
  }

  @Test
  void movedOrDeletedFileIsCreatedAgain() throws Exception {
    Path file = directory.resolve("report");
    Path moved = directory.resolve("report.1");
    ReportFile report = append(file);
    report.writeLine("{1}");
    awaitContent(file, "{1}\n");
    Files.move(file, moved);
    report.writeLine("{2}");
    awaitContent(file, "{2}\n");
    Files.delete(file);
    report.writeLine("{3}");
    report.close();
    assertThat(moved).hasContent("{1}\n");
    assertThat(file).hasContent("{3}\n");
    assertThat(warnings).isEmpty();
  }

  private static void awaitContent(Path file, String content) throws Exception {
    long until = System.nanoTime() + SOON.toNanos();
    while (!(Files.exists(file) && Files.readString(file).equals(content))
        && System.nanoTime() < until) {
      Thread.sleep(5);
    }
    assertThat(file).hasContent(content);
  }

  private void write(Path file, String line) {
    ReportFile report = append(file);
    report.writeLine(line);
    report.close();
  }

  private ReportFile append(Path file) {
    return ReportFile.append(file.toString(), warnings::add);
  }
}
