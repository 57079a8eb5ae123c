package io.txwatch.predict;

import static io.txwatch.predict.TemplateText.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.rules.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TPC-C's five programs, by columns: Fekete et al., TODS 2005, section 5. */
class TpccTest {

  private static final OperationTemplate NEW_ORDER =
      template(
          "NewOrder",
          "R warehouse[w].tax",
          "U district[w,d].tax,next_o>next_o",
          "R customer[w,d,c].discount,last,credit",
          "I orders[w,d,o]",
          "I new_order[w,d,o]",
          "* R item[i].price,name",
          "* U stock[w,i].quantity,ytd,dist>quantity,ytd",
          "* I order_line[w,d,o,n]");
  private static final OperationTemplate PAYMENT =
      template(
          "Payment",
          "U warehouse[w].ytd,name>ytd",
          "U district[w,d].ytd,name>ytd",
          "U customer[w,d,c].balance,credit,data>balance,data",
          "I history()");
  private static final OperationTemplate ORDER_STATUS =
      template(
          "OrderStatus",
          "R customer[w,d,c].balance,first,last",
          "R orders(w,d).c_id,entry,carrier",
          "R order_line(w,d,o).item,quantity,amount,delivered");

  /** Reads the oldest order by its key: later ones that are inserted do not change which it is. */
  private static final OperationTemplate DELIVERY =
      template(
          "Delivery",
          "R new_order[w,d,o].",
          "D new_order[w,d,o]",
          "U orders[w,d,o].c_id,carrier>carrier",
          "U order_line(w,d,o).amount>delivered",
          "U customer[w,d,c].balance,deliveries>balance,deliveries");

  private static final OperationTemplate STOCK_LEVEL =
      template(
          "StockLevel", "R district[w,d].next_o", "R order_line(w,d).item", "R stock(w).quantity");

  static final List<OperationTemplate> ALL =
      List.of(NEW_ORDER, PAYMENT, ORDER_STATUS, DELIVERY, STOCK_LEVEL);

  private static List<String> at(Promise.Kind promise, List<OperationTemplate> programs) {
    return CandidateSearch.search(programs, promise).candidates().stream()
        .map(RaceCandidate::toString)
        .toList();
  }

  @Test
  void robustAtSnapshotIsolation() {
    assertThat(at(Promise.Kind.SNAPSHOT, ALL)).isEmpty();
  }

  /** So its predicate, as it is written, is a candidate: only execution shows that none is. */
  @Test
  void oldestOrderByPredicateIsACandidate() {
    OperationTemplate byPredicate =
        template(
            "Delivery",
            "R new_order(w,d).",
            "D new_order[w,d,o]",
            "U orders[w,d,o].c_id,carrier>carrier",
            "U order_line(w,d,o).amount>delivered",
            "U customer[w,d,c].balance,deliveries>balance,deliveries");

    assertThat(
            at(
                Promise.Kind.SNAPSHOT,
                List.of(NEW_ORDER, PAYMENT, ORDER_STATUS, byPredicate, STOCK_LEVEL)))
        .containsExactly("G2: Delivery -> Delivery");
  }

  /** Vandevoort et al., VLDB 2021, by columns. */
  @ParameterizedTest
  @CsvSource({
    "OrderStatus Payment StockLevel, true",
    "NewOrder Payment, true",
    "NewOrder StockLevel, false",
    "NewOrder OrderStatus, false",
    "Delivery, false",
    "Delivery OrderStatus, false"
  })
  void robustAtReadCommitted(String names, boolean robust) {
    List<OperationTemplate> programs =
        ALL.stream().filter(one -> List.of(names.split(" ")).contains(one.name())).toList();

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, programs).isEmpty()).isEqualTo(robust);
  }

  /** As many implementations have it: reads in the application, then writes the next number. */
  @Test
  void nextNumberComputedInTheApplicationIsLost() {
    OperationTemplate computing =
        template("NewOrder", "R district[w,d].next_o", "W district[w,d].next_o", "I orders[w,d,o]");

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, List.of(computing)))
        .containsExactly("lost update: NewOrder -> NewOrder");
    assertThat(at(Promise.Kind.SNAPSHOT, List.of(computing))).isEmpty();
  }
}
