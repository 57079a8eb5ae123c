package org.example.shop.orders;

import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The service, as Spring Boot starts it. */
@SpringBootApplication
class OrdersApplication {

  static ConfigurableApplicationContext start(String url) {
    return new SpringApplicationBuilder(OrdersApplication.class)
        .properties(
            Map.of(
                "spring.datasource.url", url,
                "spring.jpa.hibernate.ddl-auto", "create",
                "spring.main.web-application-type", "none",
                "spring.main.banner-mode", "off"))
        .run();
  }
}
