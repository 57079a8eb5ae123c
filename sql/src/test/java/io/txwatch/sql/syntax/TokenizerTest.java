package io.txwatch.sql.syntax;

import static io.txwatch.sql.dialect.Dialect.H2;
import static io.txwatch.sql.dialect.Dialect.MARIADB;
import static io.txwatch.sql.dialect.Dialect.MYSQL;
import static io.txwatch.sql.dialect.Dialect.POSTGRESQL;
import static io.txwatch.sql.dialect.Dialect.SQLITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Significant tokens as a line: {@code a|=|'x'}. */
class TokenizerTest {

  @Property(tries = 3000)
  void nothingIsLost(@ForAll("sqlish") String text, @ForAll Dialect dialect) {
    for (Tokens tokens :
        new Tokens[] {
          Tokenizer.tokenize(text, dialect), Tokenizer.tokenizeOtherBackslash(text, dialect)
        }) {
      StringBuilder joined = new StringBuilder();
      for (int i = 0; i < tokens.allCount(); i++) {
        assertThat(tokens.endOfAll(i)).isGreaterThan(tokens.startOfAll(i));
        joined.append(text, tokens.startOfAll(i), tokens.endOfAll(i));
      }
      assertThat(joined.toString()).isEqualTo(text);
    }
  }

  @Provide
  Arbitrary<String> sqlish() {
    return SqlFragments.texts();
  }

  @Test
  void strings() {
    check(POSTGRESQL, "a = 'it''s' + E'\\'' + $x$ ' $$ $x$", "a|=|'it''s'|+|E'\\''|+|$x$ ' $$ $x$");
    check(POSTGRESQL, "'\\' , \"a\"\"b\"", "'\\'|,|\"a\"\"b\"");
    check(MYSQL, "'\\' , ' , \"a\\\"b\"", "'\\' , '|,|\"a\\\"b\"");
    check(H2, "$$ a' $$, N'x', \"a\"", "$$ a' $$|,|N'x'|,|\"a\"");
    check(SQLITE, "x'00', [a b], `c``d`", "x'00'|,|[a b]|,|`c``d`");
  }

  @Test
  void comments() {
    check(POSTGRESQL, "a /* /* ? */ ' */ b -- ? \n c", "a|b|c");
    check(MARIADB, "a /* /* */ b # ?\n c --d", "a|b|c|-|-|d");
    check(MARIADB, "a -- d", "a");
    check(H2, "a // ?\n b /* /* */ */ c", "a|b|c");
    check(SQLITE, "a --b\n c /* the end", "a|c");
    check(
        MYSQL,
        "select /*!40001 sql_no_cache */ /*+ hint */ a",
        "select|/*!40001 sql_no_cache */|a");
  }

  @Test
  void parameters() {
    kinds(POSTGRESQL, "a = ? and b ?? 'x' and c ??| d and e @?? f", 1);
    kinds(POSTGRESQL, "'?' \"?\" $$?$$ /*?*/ ? --?", 1);
    kinds(MYSQL, "? ?? @a @@b `?` \"?\" #?", 3);
    kinds(SQLITE, "?1 :a @b $c ?", 1);
    kinds(H2, "??(1??) ?2 ?", 1);
  }

  @Test
  void numbers() {
    check(POSTGRESQL, "1.5e-3+a.1", "1.5e-3|+|a|.|1");
    check(MYSQL, "1e5, 2x, t.1a, 0xAF", "1e5|,|2x|,|t|.|1a|,|0xAF");
  }

  private static void check(Dialect dialect, String text, String expected) {
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    assertThat(tokens.isBroken()).describedAs(text).isFalse();
    assertThat(
            IntStream.range(0, tokens.count())
                .mapToObj(tokens::text)
                .collect(Collectors.joining("|")))
        .isEqualTo(expected);
  }

  private static void kinds(Dialect dialect, String text, int parameters) {
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    assertThat(
            IntStream.range(0, tokens.count())
                .filter(i -> tokens.is(i, TokenKind.PARAMETER))
                .count())
        .describedAs("%s: %s", dialect, text)
        .isEqualTo(parameters);
  }
}
