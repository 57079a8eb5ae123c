package org.example.shop.orders;

import io.txwatch.junit.InterleaveTest;
import io.txwatch.junit.Interleaving;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.context.ConfigurableApplicationContext;

/** Two calls of the service at the same time, through Spring's proxies. */
class OrdersInEveryOrder {

  @SuppressWarnings("NullAway.Init") // by start
  private static ConfigurableApplicationContext context;

  private final OrderService service = context.getBean(OrderService.class);

  @BeforeAll
  static void start() {
    context = OrdersApplication.start(System.getProperty("shop.url"));
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  /** Five are in stock, and each of two customers orders three. */
  @BeforeEach
  void fiveAreInStock() {
    context.getBean(PurchaseOrders.class).deleteAll();
    context.getBean(Items.class).save(new Item(1, 5));
    VersionedItems versioned = context.getBean(VersionedItems.class);
    versioned.deleteAll();
    versioned.save(new VersionedItem(1, 5));
  }

  @InterleaveTest
  void place(Interleaving run) {
    run.operation("Ada orders 3", () -> service.place(1, 3));
    run.operation("Ben orders 3", () -> service.place(1, 3));
  }

  @InterleaveTest
  void placeByTemplate(Interleaving run) {
    run.operation("Ada orders 3", () -> service.placeByTemplate(1, 3));
    run.operation("Ben orders 3", () -> service.placeByTemplate(1, 3));
  }

  @InterleaveTest
  void placeVersioned(Interleaving run) {
    run.operation("Ada orders 3", () -> service.placeVersioned(1, 3));
    run.operation("Ben orders 3", () -> service.placeVersioned(1, 3));
  }

  @InterleaveTest
  void countAndPlace(Interleaving run) {
    run.operationWithResult("count", () -> service.count());
    run.operation("Ada orders 3", () -> service.placeVersioned(1, 3));
  }
}
