package io.txwatch.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.mariadb.MariaDbGeneratedDialect;
import io.txwatch.dbms.mysql.MySqlGeneratedDialect;
import io.txwatch.dbms.postgresql.PostgresGeneratedDialect;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a server lacks is in none of the cases that are generated for it. */
class MissingFeaturesTest {

  private static List<String> statements(GeneratedDialect dialect) {
    CaseGenerator generator = new CaseGenerator(1, dialect);
    return LongStream.range(0, 3000)
        .mapToObj(i -> generator.generate(8 * i)) // with many schemas
        .flatMap(
            generated ->
                Stream.concat(
                    generated.testCase().setup().stream(),
                    generated.testCase().steps().stream().map(step -> step.sql())))
        .toList();
  }

  private static Set<SqlFeature> used(GeneratedDialect dialect) {
    Set<SqlFeature> used = EnumSet.noneOf(SqlFeature.class);
    for (String sql : statements(dialect)) {
      for (SqlFeature feature : SqlFeature.values()) {
        if (feature.isUsedBy(sql)) {
          used.add(feature);
        }
      }
    }
    return used;
  }

  @Test
  void serverThatLacksEverythingGetsNoneOfIt() {
    Set<SqlFeature> all = EnumSet.allOf(SqlFeature.class);
    assertThat(used(new MySqlGeneratedDialect(all))).isEmpty();
    assertThat(used(new MariaDbGeneratedDialect(all))).isEmpty();
    assertThat(used(new PostgresGeneratedDialect(all)))
        .doesNotContain(
            SqlFeature.LATERAL,
            SqlFeature.MERGE,
            SqlFeature.DEFERRED_CONSTRAINTS,
            SqlFeature.EXCLUSION_CONSTRAINTS,
            SqlFeature.ADVISORY_LOCKS);
  }

  @Test
  void serverThatLacksNothingGetsAllOfIt() {
    assertThat(used(new MySqlGeneratedDialect()))
        .contains(
            SqlFeature.COMMON_TABLE_EXPRESSIONS,
            SqlFeature.RECURSION,
            SqlFeature.WINDOW_FUNCTIONS,
            SqlFeature.SET_OPERATIONS,
            SqlFeature.FOR_SHARE,
            SqlFeature.COMPUTED_COLUMNS,
            SqlFeature.INDEXED_EXPRESSIONS,
            SqlFeature.INVISIBLE_COLUMNS,
            SqlFeature.LATERAL);
    assertThat(used(new MariaDbGeneratedDialect()))
        .contains(SqlFeature.RETURNING_OF_INSERT, SqlFeature.RETURNING_OF_DELETE);
    assertThat(used(new PostgresGeneratedDialect()))
        .contains(
            SqlFeature.LATERAL,
            SqlFeature.MERGE,
            SqlFeature.DEFERRED_CONSTRAINTS,
            SqlFeature.EXCLUSION_CONSTRAINTS,
            SqlFeature.ADVISORY_LOCKS);
  }
}
