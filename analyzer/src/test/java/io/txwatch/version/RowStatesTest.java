package io.txwatch.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RowChoice;
import io.txwatch.history.RowCondition;
import io.txwatch.history.RowCondition.Column;
import io.txwatch.history.RowCondition.Compare;
import io.txwatch.history.RowCondition.Comparison;
import io.txwatch.history.RowCondition.Constant;
import io.txwatch.history.RowCondition.Remainder;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which changes of a row matter to {@code SELECT n FROM t WHERE k < 2 AND n % 2 = 0}. A row is its
 * k and its n; {@code -} is no row. The changes lead from one state to the next, and are numbered
 * from 1.
 */
class RowStatesTest {

  private static final ValueHash HASH = new ValueHash(7);
  private static final List<String> COLUMNS = List.of("k", "n", "other");
  private static final List<@Nullable Object> CONSTANTS = List.of(2L, 0L);
  private static final RowCondition CONDITION =
      new RowCondition.And(
          List.of(
              new Compare(new Column("k"), Comparison.LESS, new Constant(0)),
              new Compare(
                  new Remainder(new Column("n"), new Constant(0)),
                  Comparison.EQUAL,
                  new Constant(1))));

  @ParameterizedTest(name = "{0}: state {1} was read, {2}")
  @CsvSource({
    // states,             read, the changes that matter
    "1 2 0 | 1 3 0,           1, 1", // it no longer matches
    "1 2 0 | 1 3 0,           0, 1",
    "1 3 0 | 1 2 0,           1, 1", // it matches
    "1 2 0 | 1 4 0,           1, 1", // another n is read
    "1 2 0 | 1 2 1,           1, ''", // another column
    "1 2 0 | 0 2 0,           1, ''", // a column of the condition, which stays true
    "5 2 0 | 6 4 0,           0, ''", // in neither case
    "- | 1 2 0,               1, 1",
    "- | 1 2 0,               0, 1",
    "- | 1 3 0,               0, ''",
    "1 2 0 | -,               1, 1",
    "1 3 0 | -,               1, ''",
    // It left because of n, and would be left out because of k now.
    "1 2 0 | 1 3 0 | 5 3 0,   2, ''",
    "1 2 0 | 1 3 0 | 5 3 0,   1, 1",
    // Each column is of its last writer.
    "5 3 0 | 1 3 0 | 1 2 0,   2, '1 2'",
    "1 2 0 | 1 4 0 | 1 6 0,   2, 2",
    "1 2 0 | 1 4 0 | 1 2 0,   0, 1", // the second one alone would change nothing
    // Both would have to be made for it to match.
    "5 3 0 | 1 3 0 | 1 2 0,   0, ''",
    // Of a row that is gone nothing is left.
    "1 2 0 | 1 4 0 | - | 1 2 0, 3, 3",
  })
  void changesThatMatter(String states, int read, String expected) {
    RowStates row = states(states);
    StringBuilder mattering = new StringBuilder();
    for (int change = 1; change < row.size(); change++) {
      if (row.matters(change, read)) {
        mattering.append(mattering.isEmpty() ? "" : " ").append(change);
      }
    }
    assertThat(mattering).hasToString(expected);
  }

  /** Neither the states nor one made of their values fulfil the condition: no change matters. */
  @Property
  void noChangeMattersIfNoValueFulfilsTheCondition(
      @ForAll @Size(min = 2, max = 4) List<@IntRange(max = 12) Integer> numbers) {
    String text =
        numbers.stream()
            .map(number -> number == 0 ? "-" : number % 4 + " " + number % 3 + " 0")
            .collect(Collectors.joining(" | "));
    RowChain row = row(text);
    boolean isTrueForNone =
        new ConditionValue(CONDITION, CONSTANTS, new ColumnPlaces()).isTrueForNone(row.versions);
    RowStates states = states(row);
    boolean oneMatters = false;
    for (int change = 1; change < states.size(); change++) {
      for (int read = 0; read < states.size(); read++) {
        oneMatters |= states.matters(change, read);
      }
    }
    Statistics.label("excluded").collect(isTrueForNone, oneMatters);
    assertThat(isTrueForNone && oneMatters).as(text).isFalse();
  }

  private static RowStates states(String text) {
    return states(row(text));
  }

  private static RowChain row(String text) {
    RowChain row = new RowChain("t", 1);
    String[] states = text.split(" *\\| *");
    for (int i = 0; i < states.length; i++) {
      boolean isInitial = i == 0;
      boolean absent = states[i].equals("-");
      if (isInitial && absent) {
        continue; // before an INSERT
      }
      @Nullable Object[] plain =
          absent
              ? new Object[0]
              : Arrays.stream(states[i].split(" ")).map(Long::valueOf).toArray(Object[]::new);
      RecordedTransaction by =
          isInitial ? null : new RecordedTransaction(i, 10L * i, 0, 0, List.of(), i);
      row.add(
          new RowVersion(
                  row,
                  1,
                  by,
                  0,
                  !isInitial && states[i - 1].equals("-"),
                  absent,
                  COLUMNS,
                  absent ? null : Arrays.stream(plain).mapToInt(HASH::of).toArray(),
                  isInitial ? WriterList.INITIAL : null)
              .withPlain(COLUMNS, plain));
    }
    return row;
  }

  private static RowStates states(RowChain row) {
    RowChoice choice = new RowChoice("t", CONDITION, CONSTANTS, Set.of("n"), false);
    TimedStatement query =
        new TimedStatement(
            new Event.StatementExecuted(
                1, 1, 1, StatementKind.SELECT, "", "", List.of(), true, null, List.of(), ""));
    return Objects.requireNonNull(
        RowStates.of(
            choice,
            new ConditionValue(CONDITION, CONSTANTS, new ColumnPlaces()),
            row,
            new TimedTransaction(1, 1, IsolationLevel.READ_COMMITTED),
            query));
  }
}
