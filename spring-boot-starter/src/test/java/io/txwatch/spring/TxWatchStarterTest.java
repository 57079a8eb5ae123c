package io.txwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.TxWatch;
import io.txwatch.TxWatchReport;
import io.txwatch.spring.shop.Item;
import io.txwatch.spring.shop.Items;
import io.txwatch.spring.shop.OrderService;
import io.txwatch.spring.shop.Shop;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class TxWatchStarterTest {

  @Test
  void first() throws Exception {
    try (ConfigurableApplicationContext shop =
        SpringApplication.run(Shop.class, "--txwatch.enabled=true")) {
      shop.getBean(Items.class).save(new Item(1, 10));
      OrderService orders = shop.getBean(OrderService.class);
      orders.sell(
          1,
          () -> {
            Thread other = new Thread(() -> orders.sell(1, () -> {}));
            other.start();
            try {
              other.join();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      TxWatchReport report = TxWatch.report();
      System.out.println(report);
      System.out.println(new TxWatchEndpoint(new io.txwatch.analyzer.ProcessSource()).json());
      assertThat(report.anomalies()).isNotEmpty();
    }
  }
}
