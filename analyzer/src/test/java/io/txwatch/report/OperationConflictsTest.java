package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.report.OperationConflicts.Conflict;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OperationConflictsTest {

  private static final Anomaly SELL_TWICE =
      anomaly("shop.OrderService.sell", "shop.OrderService.sell", "item");
  private static final Anomaly SELL_AND_RESTOCK =
      anomaly("shop.OrderService.sell", "shop.Stock.restock", "item");

  private static Anomaly anomaly(String first, String second, String table) {
    return AnomalyBuilder.anomaly(Phenomenon.LOST_UPDATE)
        .t("1 SELECT stock @ Shop.java:20", "2 UPDATE stock @ Shop.java:22")
        .named(first)
        .t("1 UPDATE stock @ Stock.java:30")
        .named(second)
        .edge("1.1 rw 2.1 " + table + " 7")
        .edge("2.1 ww 1.2 " + table + " 7")
        .anomaly();
  }

  private static List<AnomalyGroups.Group> groups(Anomaly... anomalies) {
    AnomalyGroups groups = new AnomalyGroups();
    for (Anomaly anomaly : anomalies) {
      groups.add(anomaly);
    }
    return groups.groups();
  }

  private static Conflict conflict(String first, String second, long count, String... tables) {
    return new Conflict(
        first,
        second,
        count,
        new TreeSet<>(Set.of(Phenomenon.LOST_UPDATE)),
        new TreeSet<>(Set.of(tables)));
  }

  @Test
  void everyAnomalyCountsOnceForAPairHoweverManyDependenciesConnectIt() {
    assertThat(OperationConflicts.of(groups(SELL_AND_RESTOCK, SELL_TWICE, SELL_TWICE)))
        .containsExactly(
            conflict("OrderService.sell", "OrderService.sell", 2, "item"),
            conflict("OrderService.sell", "Stock.restock", 1, "item"));
  }

  @Test
  void pairHasTheTablesOfAllItsAnomalies() {
    assertThat(
            OperationConflicts.of(
                groups(SELL_TWICE, anomaly("a.OrderService.sell", "b.OrderService.sell", "price"))))
        .containsExactly(conflict("OrderService.sell", "OrderService.sell", 2, "item", "price"));
  }

  @Test
  void transactionWithoutANameIsItsSourceFile() {
    assertThat(OperationConflicts.of(groups(anomaly("shop.OrderService.sell", "", "item"))))
        .containsExactly(conflict("OrderService.sell", "Stock.java", 1, "item"));
  }

  @Test
  void textListsThePairs() {
    assertThat(OperationText.of(groups(SELL_AND_RESTOCK, SELL_TWICE, SELL_TWICE)))
        .isEqualTo(
            """
            operations that conflict
              OrderService.sell and itself  2 times  LOST_UPDATE  on item
              OrderService.sell and Stock.restock  1 time  LOST_UPDATE  on item
            """);
  }

  @Test
  void textIsEmptyIfTheApplicationNamesNothing() {
    assertThat(OperationText.of(groups(anomaly("", "", "item")))).isEmpty();
  }

  @Test
  void controlCharactersOfANameAreEscaped() {
    assertThat(OperationText.of(groups(anomaly("\u001b[31m.sell", "x.y", "item"))))
        .doesNotContain("\u001b");
  }
}
