package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TraceIdTest {

  private static Event.TransactionBegan began(String traceId) {
    return new Event.TransactionBegan(
        1, 2, IsolationLevel.READ_COMMITTED, 0, "", traceId, RowShare.ALL);
  }

  @Test
  void idOfATracerIsRecordedAsItIs() {
    String traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    assertThat(began(traceId).traceId()).isEqualTo(traceId);
  }

  @Test
  void longTextIsCut() {
    assertThat(began("<script>" + "x".repeat(10_000)).traceId())
        .isEqualTo("<script>" + "x".repeat(TraceId.MAX_CHARACTERS - 8));
  }

  @Test
  void noCharacterIsCutInHalf() {
    String traceId = "x".repeat(TraceId.MAX_CHARACTERS - 1) + "\ud83d\ude00";
    assertThat(began(traceId).traceId()).isEqualTo("x".repeat(TraceId.MAX_CHARACTERS - 1));
  }
}
