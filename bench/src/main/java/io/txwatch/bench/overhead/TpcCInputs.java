package io.txwatch.bench.overhead;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Generates the inputs of a terminal's user (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1). */
final class TpcCInputs {

  /** An item that does not exist: the order is rolled back. */
  static final int NO_ITEM = -1;

  private final Random random;
  private final int home;
  private Instant time = Instant.parse("2026-01-01T00:00:00Z");

  TpcCInputs(Random random, int home) {
    this.random = random;
    this.home = home;
  }

  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** The non-uniform distribution of clause 2.1.6; {@code a} is scaled to the smaller range. */
  private int skewed(int a, int least, int most) {
    return (between(0, a) | between(least, most)) % (most - least + 1) + least;
  }

  /** The next time: a second later each, so that runs with one seed send the same. */
  private Timestamp time() {
    time = time.plusSeconds(1);
    return Timestamp.from(time);
  }

  private int district() {
    return between(1, TpcCSchema.DISTRICTS);
  }

  private int customer() {
    return skewed(31, 1, TpcCSchema.CUSTOMERS);
  }

  private int otherWarehouse() {
    int other = between(1, TpcCSchema.WAREHOUSES - 1);
    return other >= home ? other + 1 : other;
  }

  Workload.Transaction newOrder() {
    int district = district();
    int customer = customer();
    List<TpcCNewOrder.Line> lines = new ArrayList<>();
    int count = between(5, 15);
    boolean wrong = between(1, 100) == 1;
    for (int i = 1; i <= count; i++) {
      int item = wrong && i == count ? NO_ITEM : skewed(255, 1, TpcCSchema.ITEMS);
      int supplier = between(1, 100) == 1 ? otherWarehouse() : home;
      lines.add(new TpcCNewOrder.Line(item, supplier, between(1, 10)));
    }
    return new TpcCNewOrder(home, district, customer, lines, time());
  }

  /** A customer, in 60 % of the cases by last name, otherwise by id. */
  private TpcCCustomer customer(int warehouse, int district) {
    return between(1, 100) <= 60
        ? new TpcCCustomer(
            warehouse, district, 0, TpcCSchema.lastName(skewed(31, 0, TpcCSchema.CUSTOMERS - 1)))
        : new TpcCCustomer(warehouse, district, customer(), "");
  }

  Workload.Transaction payment() {
    int district = district();
    TpcCCustomer customer =
        between(1, 100) <= 85 ? customer(home, district) : customer(otherWarehouse(), district());
    return new TpcCPayment(home, district, customer, between(100, 500_000) / 100.0, time());
  }

  Workload.Transaction orderStatus() {
    return new TpcCOrderStatus(customer(home, district()));
  }

  Workload.Transaction delivery() {
    return new TpcCDelivery(home, between(1, 10), time());
  }

  Workload.Transaction stockLevel() {
    return new TpcCStockLevel(home, district(), between(10, 20));
  }
}
