package io.txwatch.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.IsolationLevel;
import io.txwatch.servers.ServerKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An order is the same for each candidate that it shows. */
class ConfirmedOrdersTest {

  private static RaceProof changed(
      RaceProof proof,
      Optional<Phenomenon> phenomenon,
      IsolationLevel level,
      List<String> schedule) {
    return new RaceProof(
        proof.candidate(),
        proof.result(),
        phenomenon,
        List.of(level, level),
        proof.reason(),
        proof.executions(),
        schedule,
        proof.anomalies(),
        proof.testCase(),
        proof.assumptions(),
        proof.repairs());
  }

  @Test
  void anOrderCountsOnceWhicheverOperationIsTheFirst() throws Exception {
    try (ObservedApplication bank =
        new ObservedApplication(
            ServerKind.H2,
            "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
            "INSERT INTO account VALUES (1, 100)")) {
      for (int i = 0; i < 2; i++) {
        bank.run(
            one -> {
              int balance = one.number("SELECT balance FROM account WHERE id = ?", 1);
              one.update("UPDATE account SET balance = ? WHERE id = ?", balance - 10, 1);
            });
      }
      RaceProof proof = bank.prove().get(0);
      List<String> schedule = proof.schedule();
      IsolationLevel level = IsolationLevel.READ_COMMITTED;
      List<String> swapped =
          schedule.stream()
              .map(line -> (line.startsWith("T1") ? "T2" : "T1") + line.substring(2))
              .toList();
      List<String> other = schedule.stream().sorted().toList();

      ConfirmedOrders orders = new ConfirmedOrders();
      assertThat(orders.add(proof)).isEqualTo(1);
      assertThat(orders.add(changed(proof, Optional.of(Phenomenon.G2), level, schedule)))
          .isEqualTo(1);
      assertThat(orders.add(changed(proof, Optional.empty(), level, swapped))).isEqualTo(1);
      assertThat(orders.add(changed(proof, Optional.of(Phenomenon.G2), level, other)))
          .as("another order")
          .isEqualTo(2);
      assertThat(
              orders.add(
                  changed(
                      proof,
                      Optional.of(Phenomenon.LOST_UPDATE),
                      IsolationLevel.READ_UNCOMMITTED,
                      schedule)))
          .as("another level")
          .isEqualTo(3);
    }
  }
}
