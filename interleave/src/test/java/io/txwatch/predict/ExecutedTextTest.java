package io.txwatch.predict;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.RecordedValue;
import io.txwatch.sql.dialect.Dialect;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statements cut at their values. */
class ExecutedTextTest {

  private static List<String> places(String sql, Object... parameters) {
    return ExecutedText.of(
            sql, Arrays.stream(parameters).map(RecordedValue::of).toList(), Dialect.OTHER)
        .values()
        .stream()
        .map(one -> one.use() + " " + one.column() + " " + one.value().text())
        .toList();
  }

  @Test
  void parametersAndLiteralsHaveTheColumnThatTheyAreComparedWith() {
    assertThat(places("SELECT b FROM account a WHERE a.Id = ? AND owner = 'Ada'", 7))
        .containsExactly("COMPARED id 7", "COMPARED owner Ada");
  }

  @Test
  void anAssignmentIsNoComparison() {
    assertThat(places("UPDATE account SET balance = ?, n = 3 WHERE id = ?", 90, 7))
        .containsExactly("ASSIGNED balance 90", "ASSIGNED n 3", "COMPARED id 7");
  }

  @Test
  void aTermOfAnExpressionIsNeither() {
    assertThat(places("UPDATE account SET balance = balance - ? WHERE id = 7", 10))
        .containsExactly("OTHER  10", "COMPARED id 7");
    assertThat(places("UPDATE account SET balance = ? + balance WHERE id = 7", 10))
        .containsExactly("OTHER balance 10", "COMPARED id 7");
  }

  @Test
  void valuesOfNewRowsHaveTheColumnOfTheList() {
    assertThat(
            places(
                "INSERT INTO booking (id, seat, price, note) VALUES (?, 12, 2 * ?, 'x'), (?, 13, 1,"
                    + " '')",
                1,
                5,
                2))
        .containsExactly(
            "INSERTED id 1",
            "INSERTED seat 12",
            "OTHER  2",
            "OTHER  5",
            "INSERTED note x",
            "INSERTED id 2",
            "INSERTED seat 13",
            "INSERTED price 1",
            "INSERTED note ");
  }

  @Test
  void theItemsOfAListHaveItsColumn() {
    assertThat(places("SELECT 1 FROM account WHERE id IN (?, 8, ?)", 7, 9))
        .containsExactly("OTHER  1", "COMPARED id 7", "COMPARED id 8", "COMPARED id 9");
  }

  @Test
  void theElementsOfAnArrayAreItemsOfAList() {
    RecordedValue ids = RecordedValue.of(new int[] {7, 9});
    String sql = "SELECT b FROM account a WHERE a.id = ANY (?) AND owner = ?";
    ExecutedText text = ExecutedText.of(sql, List.of(ids, RecordedValue.of("Ada")), Dialect.OTHER);
    assertThat(text.parts())
        .containsExactly(
            "SELECT b FROM account a WHERE a.id = ANY (CAST(ARRAY[",
            ", ",
            "] AS INTEGER ARRAY)) AND owner = ",
            "");
    assertThat(places(sql, new int[] {7, 9}, "Ada"))
        .containsExactly("COMPARED id 7", "COMPARED id 9", "COMPARED owner Ada");
    assertThat(places("SELECT b FROM account WHERE id <> ALL (?)", (Object) new int[] {7, 9}))
        .containsExactly("OTHER  INTEGER{7,9}");
    assertThat(places("UPDATE account SET tags = ?", (Object) new String[] {"x"}))
        .containsExactly("ASSIGNED tags VARCHAR{\"x\"}");
  }

  @Test
  void thePartsAreTheTextAroundTheValues() {
    ExecutedText text =
        ExecutedText.of(
            "SELECT b FROM account WHERE id = ? /* by key */",
            List.of(RecordedValue.of(7)),
            Dialect.OTHER);
    assertThat(text.parts()).containsExactly("SELECT b FROM account WHERE id = ", " /* by key */");
  }
}
