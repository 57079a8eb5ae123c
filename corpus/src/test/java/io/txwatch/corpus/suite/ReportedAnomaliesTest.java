package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportedAnomaliesTest {

  private static final String LINE =
      """
      {"type":"anomaly","phenomenon":"LOST_UPDATE","verdict":"HAZARD","possible":%s,\
      "transactions":[{"statements":[{"sql":"SELECT ?"},{"sql":"UPDATE t"}]}]}
      """;

  @TempDir private Path directory = Path.of("");

  @Test
  void thoseOfTheSameStatementsAreCountedTogether() throws IOException {
    Files.writeString(
        directory.resolve("one.jsonl"),
        LINE.formatted(false).repeat(2) + "{\"type\":\"coverage\"}\n");
    Files.writeString(
        Files.createDirectory(directory.resolve("fork")).resolve("two.jsonl"),
        LINE.formatted(false) + LINE.formatted(true));

    assertThat(ReportedAnomalies.count(directory))
        .isEqualTo(
            """

            4 anomalies were reported
            3  LOST_UPDATE HAZARD
                transaction
                  SELECT ?
                  UPDATE t
            1  possible LOST_UPDATE HAZARD
                transaction
                  SELECT ?
                  UPDATE t
            """);
  }
}
