package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import io.txwatch.plan.PlanRequest;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements on a table whose key is {@code id}, and the key by which they choose one row. */
class StatementColumnsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE t SET v = 1 WHERE id = 1 AND v = 0            | id",
        "UPDATE t SET v = 1 WHERE (v = 0 AND t.id = ?)        | id",
        "DELETE FROM t WHERE v > 0 AND id = 1                 | id",
        "SELECT v FROM t WHERE id = ? AND v = 0 FOR UPDATE    | id",
        "UPDATE t SET v = 1 WHERE id = 1 OR v = 0             |",
        "UPDATE t SET v = 1 WHERE NOT (id = 1)                |",
        "UPDATE t SET v = 1 WHERE id = v                      |",
        "UPDATE t SET v = 1 WHERE id > 1                      |",
        "UPDATE t SET v = 1 WHERE id + 1 = 2                  |",
        "UPDATE t SET v = 1 WHERE id = 1e0                    |",
        "UPDATE t SET v = 1 WHERE id IN (1)                   |",
        "UPDATE t SET v = 1 WHERE v = 1                       |",
        "UPDATE t SET v = 1                                   |",
        // Another part of the statement chooses rows of the same table.
        "UPDATE t SET v = 1 WHERE id = 1 AND v = (SELECT max(v) FROM t) |",
        "SELECT v FROM t WHERE id = 1 UNION SELECT v FROM t   |",
      })
  void keyIsPinnedByAConjunctionWithConstants(String sql, String pinned) {
    KeyColumn id = new KeyColumn("id", Kind.INTEGER, true);
    for (Dialect dialect : EnumSet.complementOf(EnumSet.of(Dialect.OTHER))) {
      assertThat(pinned(sql, dialect, id))
          .as("%s", dialect)
          .isEqualTo(Objects.toString(pinned, ""));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "NUMBER, true       | 1   | ?   | POSTGRESQL MYSQL MARIADB H2 SQLITE",
        // As floating-point numbers two decimals may be equal to one text.
        "NUMBER, false      | 1   |     | POSTGRESQL MYSQL MARIADB H2 SQLITE",
        "NUMBER, false      |     | ?   |",
        "INTEGER, true      |     | 'a' |",
        // '1' and '01' are equal to the number 1 where a text is converted.
        "TEXT, false        | 'a' |     | POSTGRESQL MYSQL MARIADB H2",
        "TEXT, false        |     | ?   | POSTGRESQL",
        "PADDED_TEXT, false | 'a' |     | POSTGRESQL MYSQL MARIADB H2",
        "TEXT, true         |     | 1   |",
        "UUID, true         | ?   |     | POSTGRESQL MYSQL MARIADB H2 SQLITE",
        "UUID, true         |     | 'a' |",
        "OTHER, false       |     | ?   |",
      })
  void keyIsPinnedWhereOneValueIsEqual(String column, String value, String other, String dialects) {
    String[] parts = column.split(", ");
    KeyColumn id = new KeyColumn("id", Kind.valueOf(parts[0]), Boolean.parseBoolean(parts[1]));
    for (String each : Stream.of(value, other).filter(Objects::nonNull).toList()) {
      for (Dialect dialect : EnumSet.complementOf(EnumSet.of(Dialect.OTHER))) {
        boolean isPinned = Objects.toString(dialects, "").contains(dialect.name());
        assertThat(pinned("SELECT v FROM t WHERE id = " + each, dialect, id))
            .as("%s = %s on %s", column, each, dialect)
            .isEqualTo(isPinned ? "id" : "");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE t SET v = 1 WHERE a = 1           |",
        "UPDATE t SET v = 1 WHERE b = ? AND a = 1 | a,b",
      })
  void allColumnsOfAKeyArePinned(String sql, String pinned) {
    for (Dialect dialect : EnumSet.complementOf(EnumSet.of(Dialect.OTHER))) {
      assertThat(
              pinned(
                  sql,
                  dialect,
                  new KeyColumn("a", Kind.INTEGER, true),
                  new KeyColumn("b", Kind.INTEGER, true)))
          .isEqualTo(Objects.toString(pinned, ""));
    }
  }

  @Test
  void aKeyThatIsNotKnownIsNotPinned() {
    assertThat(pinned("SELECT v FROM t WHERE id = 1", Dialect.MYSQL)).isEmpty();
  }

  private static String pinned(String sql, Dialect dialect, KeyColumn... key) {
    Catalog.Traits traits =
        new Catalog.Traits(Map.of(), Set.of(), false, List.of()).namedBy(List.of(key));
    Catalog.Table table =
        new Catalog.Table("t", Catalog.Status.PREPARED, List.of("id", "v", "a", "b"), traits);
    RewritePlanner planner =
        new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE);
    return planner
        .planned(planner.tokens(sql), name -> Optional.of(table), PlanRequest.ANY)
        .columns()
        .of("t")
        .map(used -> String.join(",", used.key().names()))
        .orElseThrow();
  }
}
