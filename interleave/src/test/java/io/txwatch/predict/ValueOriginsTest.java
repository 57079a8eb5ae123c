package io.txwatch.predict;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RecordedValue;
import io.txwatch.history.StatementKind;
import io.txwatch.predict.TemplateAccess.Effect;
import io.txwatch.predict.ValueOrigin.Given;
import io.txwatch.predict.ValueOrigin.Returned;
import io.txwatch.predict.ValueOrigin.Same;
import io.txwatch.sql.dialect.Dialect;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Where values come from: arguments, earlier results, earlier results and a difference. */
class ValueOriginsTest {

  private static final String SELECT = "SELECT balance FROM account WHERE id = ?";
  private static final String UPDATE = "UPDATE account SET balance = ? WHERE id = ?";

  private static List<RecordedValue> values(Object... values) {
    return Arrays.stream(values).map(RecordedValue::of).toList();
  }

  private static SampledStatement query(
      int number, String sql, List<RecordedValue> parameters, String column, Object... cells) {
    return new SampledStatement(
        number,
        1,
        ExecutedText.of(sql, parameters, Dialect.OTHER),
        -1,
        List.of(column),
        Arrays.stream(cells).map(cell -> List.of(RecordedValue.of(cell))).toList(),
        true);
  }

  private static SampledStatement update(int number, String sql, List<RecordedValue> parameters) {
    return new SampledStatement(
        number, 1, ExecutedText.of(sql, parameters, Dialect.OTHER), 1, List.of(), List.of(), true);
  }

  private static OperationSample withdrawal(int account, int balance, int left) {
    return new OperationSample(
        List.of(
            query(1, SELECT, values(account), "balance", balance),
            update(2, UPDATE, values(left, account))));
  }

  /** A template whose statements use one table each. */
  private static OperationTemplate template(String... tables) {
    List<TemplateStatement> statements =
        java.util.stream.IntStream.range(0, tables.length)
            .mapToObj(
                i ->
                    new TemplateStatement(
                        i + 1,
                        StatementKind.SELECT,
                        "",
                        "",
                        0,
                        List.of(
                            new TemplateAccess(
                                tables[i],
                                Columns.ALL,
                                Columns.NONE,
                                Columns.NONE,
                                Effect.NONE,
                                RowLock.NONE,
                                KeyTerms.NONE))))
            .toList();
    return new OperationTemplate(
        "op", 1, "", 1, new TreeSet<>(Set.of(IsolationLevel.READ_COMMITTED)), statements, Set.of());
  }

  private static ValueOrigin origin(
      OperationTemplate template, int statement, int place, OperationSample... samples) {
    return ValueOrigins.of(template, samples[0], List.of(samples), false).get(statement).get(place);
  }

  @Test
  void whatReplacesAReadNumberIsADifference() {
    OperationTemplate withdraw = template("account", "account");
    OperationSample one = withdrawal(7, 100, 90);
    assertThat(origin(withdraw, 1, 0, one))
        .isEqualTo(new Returned(0, 0, 0, new BigDecimal("-10"), false));
    assertThat(origin(withdraw, 1, 0, one, withdrawal(8, 50, 40)))
        .isEqualTo(new Returned(0, 0, 0, new BigDecimal("-10"), true));
    assertThat(origin(withdraw, 1, 0, one, withdrawal(8, 50, 20)))
        .isEqualTo(new Returned(0, 0, 0, new BigDecimal("-10"), false));
  }

  @Test
  void aNumberOfAnotherTableIsNot() {
    assertThat(origin(template("account", "ledger"), 1, 0, withdrawal(7, 100, 90)))
        .isEqualTo(new Given());
  }

  @Test
  void anArgumentThatIsUsedAgainIsTheSame() {
    OperationTemplate withdraw = template("account", "account");
    assertThat(origin(withdraw, 1, 1, withdrawal(7, 100, 90))).isEqualTo(new Same(0, 0));
    assertThat(origin(withdraw, 0, 0, withdrawal(7, 100, 90))).isEqualTo(new Given());
  }

  @Test
  void equalArgumentsAreTheSameUnlessTheyVary() {
    OperationTemplate order = template("item", "orders");
    String insert = "INSERT INTO orders (item_id, quantity) VALUES (?, ?)";
    OperationSample one =
        new OperationSample(
            List.of(
                query(1, "SELECT name FROM item WHERE id = ?", values(1), "name", "pen"),
                update(2, insert, values(1, 1))));
    OperationSample other =
        new OperationSample(
            List.of(
                query(1, "SELECT name FROM item WHERE id = ?", values(2), "name", "ink"),
                update(2, insert, values(2, 1))));
    assertThat(origin(order, 1, 1, one)).isEqualTo(new Same(0, 0));
    assertThat(origin(order, 1, 0, one, other)).isEqualTo(new Same(0, 0));
    assertThat(origin(order, 1, 1, one, other)).isEqualTo(new Given());
  }

  @Test
  void aKeyOfARowThatWasReadIsWhatItReturned() {
    OperationTemplate signOff = template("doctor", "doctor");
    OperationSample one =
        new OperationSample(
            List.of(
                query(1, "SELECT id FROM doctor WHERE shift_id = ?", values(1), "id", 3, 4),
                update(2, "UPDATE doctor SET on_call = 0 WHERE id = ?", values(4))));
    assertThat(origin(signOff, 1, 1, one)).isEqualTo(new Returned(0, 1, 0, null, false));
  }

  /** Orders of one line and of two: what is common to both is compared. */
  @Test
  void loopsOfOtherLengthsAreComparedAsFarAsTheyGo() {
    OperationTemplate order = template("district", "line");
    OperationSample one = order(7, 7, 31);
    OperationSample other = order(9, 9, 31, 32);
    assertThat(origin(order, 1, 0, one)).isEqualTo(new Given());
    assertThat(origin(order, 1, 0, one, other)).isEqualTo(new Returned(0, 0, 0, null, true));
    assertThat(origin(order, 1, 0, one, order(9, 8, 31))).isEqualTo(new Given());
    assertThat(origin(order, 2, 0, other, one)).isEqualTo(new Same(1, 0));
    assertThat(origin(order, 2, 1, other, one)).isEqualTo(new Given());
  }

  /** Reads the next number of an order, and inserts its lines. */
  private static OperationSample order(int next, int number, int... items) {
    List<SampledStatement> statements = new ArrayList<>();
    statements.add(query(1, "SELECT next FROM district WHERE id = ?", values(1), "next", next));
    for (int i = 0; i < items.length; i++) {
      statements.add(
          new SampledStatement(
              2,
              i + 1,
              ExecutedText.of(
                  "INSERT INTO line (order_id, item) VALUES (?, ?)",
                  values(number, items[i]),
                  Dialect.OTHER),
              1,
              List.of(),
              List.of(),
              true));
    }
    return new OperationSample(statements);
  }

  /** The first account of a loop over two is the argument that each iteration has. */
  @Test
  void whatDiffersInAnotherIterationMayBeTheSame() {
    OperationTemplate transfer = template("waiting");
    OperationSample one = deliveries(7, 7, 8);
    OperationSample other = deliveries(9, 9, 3);
    assertThat(origin(transfer, 0, 1, one, other)).isEqualTo(new Same(0, 0));
    assertThat(origin(transfer, 1, 1, one, other)).isEqualTo(new Same(0, 0));
    assertThat(origin(transfer, 1, 0, one, other)).isEqualTo(new Given());
  }

  /** Deletes from each district of a warehouse. */
  private static OperationSample deliveries(int warehouse, int... districts) {
    List<SampledStatement> statements = new ArrayList<>();
    for (int i = 0; i < districts.length; i++) {
      statements.add(
          new SampledStatement(
              1,
              i + 1,
              ExecutedText.of(
                  "DELETE FROM waiting WHERE district = ? AND warehouse = ?",
                  values(districts[i], warehouse),
                  Dialect.OTHER),
              1,
              List.of(),
              List.of(),
              true));
    }
    return new OperationSample(statements);
  }
}
