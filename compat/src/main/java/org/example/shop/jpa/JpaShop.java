package org.example.shop.jpa;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.example.shop.Schema;
import org.example.shop.Shop;
import org.example.shop.Workload;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Spring Boot with Spring Data JPA, Hibernate and HikariCP. */
public final class JpaShop implements Shop {

  /** The configuration. */
  @SpringBootApplication
  static class Application {}

  private final ConfigurableApplicationContext context;
  private final ProductService service;
  private final Products products;

  private JpaShop(ConfigurableApplicationContext context) {
    this.context = context;
    this.service = context.getBean(ProductService.class);
    this.products = context.getBean(Products.class);
  }

  /**
   * Runs it.
   *
   * @param arguments the URL
   */
  public static void main(String[] arguments) throws Exception {
    Workload.run(open(arguments[0]));
  }

  /** Starts it. */
  public static Shop open(String url) {
    return new JpaShop(
        new SpringApplicationBuilder(Application.class)
            .properties(
                Map.of(
                    "spring.datasource.url", url,
                    "spring.datasource.driver-class-name", Schema.driverFor(url),
                    "spring.datasource.hikari.maximum-pool-size", "4",
                    "spring.jpa.hibernate.ddl-auto", "validate",
                    "spring.main.web-application-type", "none",
                    "spring.main.banner-mode", "off"))
            .run());
  }

  @Override
  public long add(String name, int stock) {
    return Objects.requireNonNull(service.add(name, stock).getId());
  }

  @Override
  public String addAll(List<String> names) {
    return service.addAll(names).toString();
  }

  @Override
  public List<String> products() {
    return products.findAllByOrderById().stream().map(Product::toString).toList();
  }

  @Override
  public String purchases() {
    return products.purchases();
  }

  @Override
  public void buy(long product, int quantity, boolean fails) {
    service.buy(product, quantity, fails);
  }

  @Override
  public void sell(long product, Runnable meanwhile) {
    service.sell(product, meanwhile); // commit
  }

  @Override
  public int remove(String name) {
    return service.remove(name);
  }

  @Override
  public List<String> metadata() throws Exception {
    try (Connection connection = context.getBean(DataSource.class).getConnection()) {
      return Schema.metadata(connection);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
