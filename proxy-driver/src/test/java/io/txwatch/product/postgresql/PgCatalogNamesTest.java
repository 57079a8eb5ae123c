package io.txwatch.product.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PgCatalogNamesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      textBlock =
          """
          (t.tgtype & 19) = 19          ~ (t.tgtype #&# 19) #=# 19
          to_json(a) ->> 'x = y'        ~ @to_json(a) #->># 'x = y'
          a."x = y" || E'\\'='           ~ a."x = y" #||# E'\\'='
          a = ANY (b::oid[])            ~ a #=# ANY (b::@oid[])
          a::"char"::text               ~ a::@"char"::@text
          a::integer, b::varchar(3)     ~ a::integer, b::varchar(3)
          a::character varying(3)       ~ a::character varying(3)
          a COLLATE "C"                 ~ a COLLATE @"C"
          "left"(a, 1) = b              ~ @"left"(a, 1) #=# b
          coalesce(a, count(*))         ~ coalesce(a, @count(*))
          extract(epoch FROM now())     ~ extract(epoch FROM @now())
          SELECT *, a * 2 FROM t        ~ SELECT *, a #*# 2 FROM t
          (x OPERATOR(s.&) y) AND s.f(x) ~ (x OPERATOR(s.&) y) AND s.f(x)
          @f(x) #=# y                   ~ @f(x) #=# y
          FROM f(x) AS p(s, i)          ~ FROM @f(x) AS p(s, i)
          WITH q(a) AS (SELECT 1)       ~ WITH q(a) AS (SELECT 1)
          CASE WHEN a THEN b ELSE c END ~ CASE WHEN a THEN b ELSE c END
          CASE a WHEN b THEN 1 WHEN c THEN 2 END ~ CASE WHEN a #=# b THEN 1 WHEN a #=# c THEN 2 END
          CASE a WHEN CASE b WHEN 1 THEN 2 END THEN 3 END ~ CASE WHEN a #=# CASE WHEN b #=# 1 THEN 2 END THEN 3 END
          nullif(f(a, 1), b)            ~ case when @f(a, 1) #=# b then null else @f(a, 1) end
          a || b || c, d + e            ~ a #||# b #||# c, d #+# e
          a = 1 AND NOT b < 2           ~ a #=# 1 AND NOT b #<# 2
          a IS NOT NULL                 ~ a IS NOT NULL
          """)
  void eachNameIsQualified(String sql, String qualified) {
    assertThat(PgCatalogNames.qualify(written(sql))).isEqualTo(written(qualified));
  }

  /** {@code @f} is {@code pg_catalog.f}, {@code #=#} is the operator. */
  private static String written(String sql) {
    return sql.replace("@", "pg_catalog.").replaceAll("#(\\S+)#", "OPERATOR(pg_catalog.$1)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a & 1 = 1",
        "a || b = c",
        "a = (b) || c",
        "a IN (1)",
        "a LIKE 'x'",
        "a BETWEEN 1 AND 2",
        "t JOIN u USING (a)",
        "a IS DISTINCT FROM b",
        "CAST(a AS text)",
        "t NATURAL JOIN u"
      })
  void whatCannotBeQualifiedIsRefused(String sql) {
    assertThatThrownBy(() -> PgCatalogNames.qualify(sql))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(sql);
  }
}
