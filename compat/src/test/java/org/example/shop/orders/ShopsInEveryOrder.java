package org.example.shop.orders;

import io.txwatch.junit.InterleaveTest;
import io.txwatch.junit.Interleaving;
import org.example.shop.Shop;
import org.example.shop.datajdbc.DataJdbcShop;
import org.example.shop.jdbi.JdbiShop;
import org.example.shop.jooq.JooqShop;
import org.example.shop.jpa.JpaShop;
import org.example.shop.mybatis.MyBatisShop;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Two sales of one product at the same time, with the library that the property names. */
class ShopsInEveryOrder {

  @SuppressWarnings("NullAway.Init") // by open
  private static Shop shop;

  private static long anvil;

  @BeforeAll
  static void open() throws Exception {
    String url = System.getProperty("shop.url");
    shop =
        switch (System.getProperty("shop.library")) {
          case "jpa" -> JpaShop.open(url);
          case "data-jdbc" -> DataJdbcShop.open(url);
          case "jooq" -> new JooqShop(url);
          case "mybatis" -> new MyBatisShop(url);
          case "jdbi" -> new JdbiShop(url);
          default -> throw new IllegalArgumentException("shop.library");
        };
    anvil = shop.add("anvil", 10);
  }

  @AfterAll
  static void close() throws Exception {
    shop.close();
  }

  @InterleaveTest
  void sell(Interleaving run) {
    run.operation("Ada buys", () -> shop.sell(anvil, () -> {}));
    run.operation("Ben buys", () -> shop.sell(anvil, () -> {}));
  }

  @InterleaveTest
  void buy(Interleaving run) {
    run.operation("Ada buys 3", () -> shop.buy(anvil, 3, false));
    run.operation("Ben buys 2", () -> shop.buy(anvil, 2, false));
  }
}
