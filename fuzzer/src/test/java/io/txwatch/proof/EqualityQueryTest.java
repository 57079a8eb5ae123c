package io.txwatch.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ExecutedText;
import io.txwatch.predict.SampledStatement;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rows are removed only where a query would have found them. */
class EqualityQueryTest {

  private static TableCopy table(String name, String columns, Object[]... rows) {
    List<String> names = List.of(columns.split(","));
    TableCopy table = new TableCopy(name, List.of(), names, names.subList(0, 1), List.of());
    for (Object[] values : rows) {
      Map<String, RecordedValue> row = new LinkedHashMap<>();
      for (int i = 0; i < values.length; i++) {
        row.put(names.get(i), RecordedValue.of(values[i]));
      }
      table.add(row);
    }
    return table;
  }

  /**
   * The keys of owners and pets after a query that has found owner 1, and pet 7 if it reads pets.
   */
  private static List<String> left(String sql, List<String> labels, Object... found) {
    TableCopy owners =
        table("owner", "id,city", new Object[] {1, "Bern"}, new Object[] {2, "Bern"});
    TableCopy pets =
        table(
            "pet",
            "id,owner_id,kind",
            new Object[] {7, 1, 3},
            new Object[] {8, 1, 4},
            new Object[] {9, 5, 3});
    List<RecordedValue> row = new ArrayList<>();
    for (Object value : found) {
      row.add(RecordedValue.of(value));
    }
    SampledStatement statement =
        new SampledStatement(
            1,
            1,
            ExecutedText.of(sql, List.of(), Dialect.OTHER),
            -1,
            labels,
            row.isEmpty() ? List.of() : List.of(row),
            true);
    EqualityQuery.of(statement, List.of(owners, pets)).ifPresent(one -> one.removeOthers(Set.of()));
    List<String> keys = new ArrayList<>();
    owners.values("id").forEach(value -> keys.add(value.text()));
    pets.values("id").forEach(value -> keys.add(value.text()));
    return keys;
  }

  private static List<String> left(String sql) {
    return left(sql, List.of("id"), 1);
  }

  @Test
  void whatAQueryOfEqualitiesDidNotFindIsRemoved() {
    assertThat(left("SELECT id FROM owner WHERE city = 'Bern'")).doesNotContain("2");
    assertThat(left("select o.id from owner o order by o.id for update")).doesNotContain("2");
    assertThat(left("SELECT id FROM owner WHERE id = 2", List.of("id"))).doesNotContain("2");
    assertThat(
            left(
                "SELECT o.id, p.id FROM owner o LEFT JOIN pet p ON p.owner_id = o.id WHERE o.id = 1",
                List.of("id", "id"),
                1,
                7))
        .containsExactly("1", "2", "7", "9");
    assertThat(
            left(
                "SELECT p.id, o.id FROM pet p JOIN owner o ON o.id = p.owner_id WHERE p.kind = 3",
                List.of("id", "id")))
        .as("pet 9 has no owner, so that it is not found anyway")
        .containsExactly("1", "2", "8", "9");
  }

  @Test
  void othersAreNot() {
    List<String> all = List.of("1", "2", "7", "8", "9");
    for (String sql :
        List.of(
            "SELECT id FROM owner WHERE city = 'Bern' LIMIT 1",
            "SELECT id FROM owner WHERE city = 'Bern' FETCH FIRST 1 ROWS ONLY",
            "SELECT id FROM owner WHERE city = 'Bern' AND id < 2",
            "SELECT id FROM owner WHERE city = 'Bern' OR id = 1",
            "SELECT id FROM owner WHERE city IN ('Bern')",
            "SELECT max(id) AS id FROM owner WHERE city = 'Bern'",
            "SELECT city AS name FROM owner WHERE city = 'Bern'",
            "SELECT o.id FROM owner o, pet p WHERE o.city = 'Bern' AND p.kind = 3",
            "SELECT o.id FROM owner o JOIN pet p ON p.owner_id = o.id"
                + " WHERE o.city = 'Bern' AND p.kind = 3",
            "SELECT id FROM owner WHERE city = 'Bern' FOR UPDATE SKIP LOCKED",
            "SELECT id FROM owner WHERE lower(city) = 'bern'",
            "SELECT id FROM owner WHERE city = 'Bern' GROUP BY id",
            "UPDATE owner SET city = 'Basel' WHERE city = 'Bern'")) {
      assertThat(left(sql)).as(sql).isEqualTo(all);
    }
  }
}
