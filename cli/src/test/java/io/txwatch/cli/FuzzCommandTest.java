package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class FuzzCommandTest {

  @Test
  void withoutAUrlItRunsInMemoryAndEndsWithASummary() throws Exception {
    Invocation fuzz = Invocation.of("fuzz", "--json", "--cases", "30", "--seed", "5");

    assertThat(fuzz.code()).as(fuzz.err()).isZero();
    String[] lines = fuzz.out().strip().split("\n");
    JsonNode summary = new ObjectMapper().readTree(lines[lines.length - 1]);
    assertThat(summary.path("type").asText()).isEqualTo("summary");
    assertThat(summary.path("seed").asLong()).isEqualTo(5);
    assertThat(summary.path("cases").asLong()).isEqualTo(30);
    assertThat(summary.path("findings").isNumber()).isTrue();
    assertThat(summary.path("casesPerSecond").asDouble()).isPositive();
    assertThat(summary.path("accepted").asDouble()).isGreaterThan(0.97);
  }

  @Test
  void badInputIsSaid() {
    Invocation noTime = Invocation.of("fuzz", "--duration", "soon");
    assertThat(noTime.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noTime.err()).contains("expected 60s, 10m or 2h");

    Invocation noLevel = Invocation.of("fuzz", "--isolation", "RU");
    assertThat(noLevel.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noLevel.err()).contains("has no level of its own called READ_UNCOMMITTED");

    Invocation noServer =
        Invocation.of("fuzz", "--url", "jdbc:postgresql://127.0.0.1:1/x", "--cases", "1");
    assertThat(noServer.code()).isEqualTo(ExitCode.UNREACHABLE);

    Invocation noWorkers = Invocation.of("fuzz", "--workers", "0");
    assertThat(noWorkers.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noWorkers.err()).contains("expected at least 1");
  }
}
