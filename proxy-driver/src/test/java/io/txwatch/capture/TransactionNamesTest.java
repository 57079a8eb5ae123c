package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TransactionNamesTest {

  @Test
  void nameIsWhatTheApplicationGives() {
    assertThat(TransactionNames.from(() -> "shop.OrderService.sell"))
        .isEqualTo("shop.OrderService.sell");
  }

  @Test
  void transactionWithoutANameHasAnEmptyOne() {
    assertThat(TransactionNames.from(() -> null)).isEmpty();
  }

  @Test
  void failureOfTheApplicationsSourceIsNoFailureOfTheStatement() {
    assertThat(
            TransactionNames.from(
                () -> {
                  throw new IllegalStateException("no transaction");
                }))
        .isEmpty();
    assertThat(
            TransactionNames.from(
                () -> {
                  throw new NoClassDefFoundError("gone");
                }))
        .isEmpty();
  }

  @Test
  void textThatIsTooLongIsNoName() {
    assertThat(TransactionNames.from(() -> "x".repeat(TransactionNames.MAX_CHARACTERS + 1)))
        .isEmpty();
  }

  @Test
  void fallbackNamesWhatNoSourceNames() {
    Thread own = Thread.currentThread();
    TransactionNames.setFallback(() -> Thread.currentThread() == own ? "shop.Orders.sell" : null);
    try {
      assertThat(TransactionNames.current()).isEqualTo("shop.Orders.sell");
    } finally {
      TransactionNames.setFallback(null);
    }
    assertThat(TransactionNames.current()).isEmpty();
  }
}
