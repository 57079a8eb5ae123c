package io.txwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.FoundAnomaly;
import io.txwatch.TxWatch;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.settings.ObservationLevel;
import io.txwatch.spring.shop.Item;
import io.txwatch.spring.shop.Items;
import io.txwatch.spring.shop.OrderService;
import io.txwatch.spring.shop.Shop;
import io.txwatch.spring.shop.VersionedItem;
import io.txwatch.spring.shop.VersionedItems;
import io.txwatch.spring.shop.VisitController;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/** A shop with JPA, Hibernate and HikariCP, watched by a property. */
class TxWatchStarterTest {

  private static ConfigurableApplicationContext shop;
  private static OrderService orders;

  @BeforeAll
  static void startAndLoseAnUpdate() {
    shop = SpringApplication.run(Shop.class, "--txwatch.enabled=true");
    orders = shop.getBean(OrderService.class);
    shop.getBean(Items.class).save(new Item(1, 10));
    orders.sell(1, () -> inAnotherThread(() -> orders.sell(1, () -> {})));
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  private static void inAnotherThread(Runnable work) {
    Thread thread = new Thread(work);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<FoundAnomaly> lostUpdatesOf(String table) {
    return TxWatch.report().anomalies().stream()
        .filter(a -> a.phenomenon() == Phenomenon.LOST_UPDATE)
        .filter(a -> a.rows().stream().allMatch(row -> row.table().equals(table)))
        .toList();
  }

  @Test
  void lostUpdateIsReportedWithTheLineAndTheMethodOfTheService() {
    assertThat(lostUpdatesOf("ITEM"))
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.callSites()).contains("OrderService.java:20");
              assertThat(lost.transactions())
                  .extracting(FoundAnomaly.Transaction::name)
                  .containsExactly(
                      "io.txwatch.spring.shop.OrderService.sell",
                      "io.txwatch.spring.shop.OrderService.sell");
            });
  }

  @Test
  void updateThatChecksTheVersionIsClean() {
    shop.getBean(VersionedItems.class).save(new VersionedItem(1, 10));

    assertThatThrownBy(
            () ->
                orders.sellVersioned(
                    1, () -> inAnotherThread(() -> orders.sellVersioned(1, () -> {}))))
        .isInstanceOf(ObjectOptimisticLockingFailureException.class);

    assertThat(lostUpdatesOf("VERSIONED_ITEM")).isEmpty();
    assertThat(TxWatch.report().anomalies())
        .noneMatch(a -> a.rows().stream().anyMatch(row -> row.table().equals("VERSIONED_ITEM")));
  }

  @Test
  void transactionOutsideAnyServiceHasTheNameOfItsRoute() throws Exception {
    try (Connection connection = shop.getBean(DataSource.class).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE visit (id INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO visit VALUES (7, 0)");
    }
    shop.getBean(VisitController.class).setMeanwhile(() -> visit(7));
    visit(7);

    assertThat(lostUpdatesOf("VISIT"))
        .singleElement()
        .satisfies(
            lost ->
                assertThat(lost.transactions())
                    .extracting(FoundAnomaly.Transaction::name)
                    .containsExactly("GET /items/{id}/visit", "GET /items/{id}/visit"));
  }

  private static void visit(int item) {
    try {
      assertThat(get("/items/" + item + "/visit").body()).isEqualTo("1");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void actuatorChangesTheLevelOfConnectionsThatAreOpenedLater() throws Exception {
    try {
      assertThat(post("{\"instrument\":\"off\"}").body()).isEqualTo("{\"instrument\":\"off\"}");
      assertThat(ObservationLevel.isOff()).isTrue();
      assertThat(post("{\"instrument\":\"itms\"}").statusCode()).isEqualTo(400);
      assertThat(post("{\"instrument\":\"items\"}").statusCode()).isEqualTo(200);
      assertThat(ObservationLevel.changed()).contains("items");
    } finally {
      ObservationLevel.reset();
    }
  }

  /** The pool's connections are open already; without new ones nothing would change. */
  @Test
  void levelAppliesToThePoolsConnectionsAtOnce() throws Exception {
    try {
      assertThat(isWatched()).isTrue();
      post("{\"instrument\":\"off\"}");
      assertThat(isWatched()).isFalse();
      post("{\"instrument\":\"inline\"}");
      assertThat(isWatched()).isTrue();
    } finally {
      ObservationLevel.reset();
    }
  }

  private static boolean isWatched() throws SQLException {
    long before = TxWatch.report().coverage().transactions();
    try (Connection connection = shop.getBean(DataSource.class).getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM item WHERE id = -1");
    }
    return TxWatch.report().coverage().transactions() > before;
  }

  private static HttpResponse<String> post(String body) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(uri("/actuator/txwatch"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void actuatorHasTheReportAsJsonAndAsAPage() throws Exception {
    TxWatch.report(); // the endpoint does not wait for the analysis

    assertThat(get("/actuator/txwatch").body())
        .startsWith("{\"anomalies\":[{\"type\":\"anomaly\"")
        .contains("\"phenomenon\":\"LOST_UPDATE\"", "\"notListed\":0", "\"coverage\":{");
    HttpResponse<String> page = get("/actuator/txwatch/page");
    assertThat(page.headers().firstValue("content-type").orElse("")).startsWith("text/html");
    assertThat(page.body()).startsWith("<!doctype html>").contains("OrderService.java:20");
    assertThat(get("/actuator/txwatch/other").statusCode()).isEqualTo(404);
  }

  @Test
  void healthAndMetersAreThere() throws Exception {
    TxWatch.report();

    assertThat(get("/actuator/health/txwatch").body())
        .contains("\"status\":\"UP\"", "\"anomalies\":");
    assertThat(get("/actuator/metrics/txwatch.transactions").body()).contains("\"COUNT\"");
  }

  private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static URI uri(String path) {
    String port = shop.getEnvironment().getProperty("local.server.port");
    return URI.create("http://127.0.0.1:" + port + path);
  }
}
