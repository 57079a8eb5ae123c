package io.txwatch.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.KeyValues;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two statements, and whether the rows that they choose or insert surely have other keys. */
class ComparedKeyHasherTest {

  private static final List<KeyColumn> INTEGERS =
      List.of(new KeyColumn("a", Kind.INTEGER, true), new KeyColumn("b", Kind.INTEGER, true));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT v FROM t WHERE a = 1              | INSERT INTO t VALUES (2, 1, 0)            | true",
        "SELECT v FROM t WHERE a = 1              | INSERT INTO t (v, b, a) VALUES (1, 1, 2)  | true",
        "SELECT v FROM t WHERE a = 1              | INSERT INTO t VALUES (2, 1, 0), (1, 1, 0) | false",
        "SELECT v FROM t WHERE a = 1              | INSERT INTO t VALUES (2, 1, 0), (?, 1, 0) | false",
        "SELECT v FROM t WHERE a = 1              | INSERT INTO t VALUES (2 - 1, 1, 0)        | false",
        "SELECT v FROM t WHERE a = 1              | INSERT INTO t (b, v) VALUES (2, 2)        | false",
        "SELECT v FROM t WHERE a = 1              | INSERT INTO t SELECT 2, 2, 2              | false",
        "SELECT v FROM t WHERE a = 1 AND b = 2    | INSERT INTO t VALUES (1, 3, 0)            | true",
        "SELECT v FROM t WHERE b = 2              | INSERT INTO t VALUES (1, 3, 0)            | true",
        "SELECT v FROM t WHERE v = 2              | INSERT INTO t VALUES (1, 3, 0)            | false",
        "SELECT v FROM t WHERE a IN (1, 3)        | DELETE FROM t WHERE (a IN (2))            | true",
        "SELECT v FROM t WHERE a IN (1, 3)        | DELETE FROM t WHERE a IN (2, 3)           | false",
        "SELECT v FROM t WHERE a NOT IN (1, 3)    | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a IN (1, 1 + 1)    | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 OR b = 2     | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE NOT (a = 1)        | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a <> 1             | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE 1 = a              | DELETE FROM t WHERE t.a = 2               | true",
        "SELECT v FROM t WHERE a = '1'            | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1.0            | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = b              | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t JOIN u ON a = c WHERE a=1| DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 UNION SELECT 2| DELETE FROM t WHERE a = 2                | false",
        "SELECT v FROM t WHERE a = 1 IS FALSE     | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 IS NOT TRUE  | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 IN (0)       | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 BETWEEN 0 AND 0| DELETE FROM t WHERE a = 2               | false",
        "SELECT v FROM t WHERE a = 1 LIKE 0       | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE NOT a = 1          | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 AND b = 1 OR v = 2| DELETE FROM t WHERE a = 2            | false",
        "SELECT v FROM t WHERE v BETWEEN 1 AND a = 1| DELETE FROM t WHERE a = 2               | false",
        "SELECT v FROM t WHERE a = 1 <> 1         | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE (a = 1) = (b = 1)  | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 + 0          | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = -1             | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 * 2          | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 % 2          | DELETE FROM t WHERE a = 2                 | false",
        "SELECT v FROM t WHERE a = 1 | DELETE FROM t WHERE a = 2 OR a = 1 | false",
        "SELECT v FROM t WHERE a = 1 AND EXISTS (SELECT 1 FROM t x WHERE x.v = 2)| DELETE FROM t WHERE a = 2 | false",
        "SELECT v FROM t WHERE a = 1 | INSERT INTO t VALUES (2, (SELECT max(v) FROM t), 0) | false",
        "SELECT v FROM t WHERE a = 1 LIMIT 1      | DELETE FROM t WHERE a = 2                 | true",
      })
  void rowsHaveOtherKeys(String one, String other, boolean excluded) {
    for (Dialect dialect : Dialect.values()) {
      assertThat(exclude(keys(dialect, INTEGERS, one), keys(dialect, INTEGERS, other)))
          .as("%s", dialect)
          .isEqualTo(excluded);
    }
  }

  /** Whether two values of a column are surely two keys, on a DBMS that compares texts as such. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TEXT, true        | abc | abd | true",
        "TEXT, true        | abc | ABC | true",
        "TEXT, true        | abc | 'abc  ' | false",
        "TEXT, false       | abc | abd | true",
        "TEXT, false       | abc | ABC | false",
        "TEXT, false       | w-1 | V1  | false",
        "TEXT, false       | 01  | 1   | false",
        "TEXT, false       | äb  | cd  | false",
        "PADDED_TEXT, true | abc | 'abc ' | false",
        "UUID, true        | 5f0c7d3e-8f4a-4c53-9d61-0a3f1f0d6b11 | 5F0C7D3E-8F4A-4C53-9D61-0A3F1F0D6B11 | false",
        "UUID, true        | 5f0c7d3e-8f4a-4c53-9d61-0a3f1f0d6b11 | 5f0c7d3e-8f4a-4c53-9d61-0a3f1f0d6b12 | true",
        "INTEGER, true     | 1   | 2   | false",
        "NUMBER, false     | 1   | 2   | false",
        "OTHER, false      | 1   | 2   | false",
      })
  void textsAreOtherKeys(String column, String one, String other, boolean excluded) {
    String[] parts = column.split(", ");
    KeyColumn key = new KeyColumn("a", Kind.valueOf(parts[0]), Boolean.parseBoolean(parts[1]));
    String sql = "SELECT v FROM t WHERE a = ?";
    assertThat(
            exclude(
                keys(Dialect.POSTGRESQL, List.of(key), sql, one),
                keys(Dialect.POSTGRESQL, List.of(key), sql, other)))
        .isEqualTo(excluded);
  }

  @Test
  void valuesOfOtherTypesAreNoKeys() {
    KeyColumn text = new KeyColumn("a", Kind.TEXT, true);
    KeyColumn uuid = new KeyColumn("a", Kind.UUID, true);
    String sql = "SELECT v FROM t WHERE a = ?";
    assertThat(keys(Dialect.MYSQL, List.of(text), sql, 5L)).isEmpty();
    assertThat(keys(Dialect.MYSQL, List.of(text), sql, new Object[] {null})).isEmpty();
    assertThat(keys(Dialect.H2, INTEGERS, sql, "5")).isEmpty();
    UUID id = UUID.randomUUID();
    assertThat(keys(Dialect.H2, List.of(uuid), sql, id))
        .isEqualTo(keys(Dialect.H2, List.of(uuid), sql, id.toString()))
        .hasSize(1);
    assertThat(keys(Dialect.H2, INTEGERS, sql, 5L))
        .isEqualTo(keys(Dialect.H2, INTEGERS, "DELETE FROM t WHERE a = 5"))
        .hasSize(1);
  }

  /** AUTO_INCREMENT gives a number of its own. */
  @Test
  void zeroMayBecomeAnotherKey() {
    String sql = "INSERT INTO t VALUES (0, 1, 1)";
    assertThat(keys(Dialect.MYSQL, INTEGERS, sql))
        .extracting(KeyValues::column)
        .containsExactly("b");
    assertThat(keys(Dialect.H2, INTEGERS, sql)).hasSize(2);
    assertThat(keys(Dialect.MYSQL, INTEGERS, "SELECT v FROM t WHERE a = 0")).hasSize(1);
  }

  /**
   * The row that an upsert or REPLACE writes may have been there, with another key. What does not
   * fit a column is made to fit where errors are ignored.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "MYSQL      | REPLACE INTO t VALUES (2, 1, 0)",
        "MYSQL      | INSERT INTO t VALUES (2, 1, 0) ON DUPLICATE KEY UPDATE v = 1",
        "MYSQL      | INSERT IGNORE INTO t VALUES (300, 1, 0)",
        "MARIADB    | INSERT IGNORE INTO t (a, b, v) VALUES (300, 1, 0)",
        "MYSQL      | INSERT /*+ SET_VAR(sql_mode = '') */ INTO t VALUES (300, 1, 0)",
        "POSTGRESQL | INSERT INTO t VALUES (2, 1, 0) ON CONFLICT (v) DO UPDATE SET v = 1",
        "POSTGRESQL | INSERT INTO t (a, b, v) OVERRIDING USER VALUE VALUES (2, 1, 0)",
      })
  void upsertsHaveNoKnownKey(Dialect dialect, String sql) {
    assertThat(keys(dialect, INTEGERS, sql)).isEmpty();
  }

  /** The row that was there has the values by which it was found. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "(a) DO UPDATE SET v = 1                    | a",
        "(A, b) DO UPDATE SET v = excluded.v        | a b",
        "(b, a) DO UPDATE SET v = 1, b = 3          | a",
        "(a) DO UPDATE SET a = 3                    | ''",
        "(a, b) DO UPDATE SET (v, a) = (1, 3)       | b",
        "(b) WHERE a DO UPDATE SET v = 1            | b",
        "(abs(a), b) DO UPDATE SET v = 1            | b",
        "ON CONSTRAINT a DO UPDATE SET v = 1        | ''",
        "(v) DO NOTHING                             | a b",
      })
  void keyOfAnUpsertIsTheOneThatConflicts(String conflict, String columns) {
    assertThat(
            keys(
                Dialect.POSTGRESQL,
                INTEGERS,
                "INSERT INTO t VALUES (2, 1, 0) ON CONFLICT " + conflict))
        .extracting(KeyValues::column)
        .isEqualTo(columns.isEmpty() ? List.of() : List.of(columns.split(" ")));
  }

  private static boolean exclude(List<KeyValues> one, List<KeyValues> other) {
    Map<String, List<Long>> others =
        other.stream().collect(Collectors.toMap(KeyValues::column, KeyValues::hashes));
    return one.stream()
        .anyMatch(
            values ->
                others.containsKey(values.column())
                    && values.hashes().stream().noneMatch(others.get(values.column())::contains));
  }

  private static List<KeyValues> keys(
      Dialect dialect, List<KeyColumn> key, String sql, @Nullable Object... parameters) {
    Catalog.Traits traits = new Catalog.Traits(Map.of(), Set.of(), false, List.of()).namedBy(key);
    Catalog.Table table =
        new Catalog.Table("t", Catalog.Status.PREPARED, List.of("a", "b", "v"), traits);
    return new ComparedKeyHasher(
            RewritePlanner.comparedKey(sql, Products.of(dialect).sql(), name -> Optional.of(table)))
        .of(pinned(parameters));
  }

  private static PinnedValues pinned(@Nullable Object... parameters) {
    return new PinnedValues() {
      @Override
      public int changes() {
        return 0;
      }

      @Override
      public @Nullable Object value(int parameter) {
        return parameter > parameters.length || isInteger(parameter)
            ? null
            : parameters[parameter - 1];
      }

      @Override
      public boolean isInteger(int parameter) {
        return parameter <= parameters.length && parameters[parameter - 1] instanceof Long;
      }

      @Override
      public long integer(int parameter) {
        return parameters[parameter - 1] instanceof Long value ? value : 0;
      }
    };
  }
}
