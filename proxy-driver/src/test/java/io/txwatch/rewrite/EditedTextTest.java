package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.RewritePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Redactor;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is put in can be cut out again, and the parameters keep their order (hazard 30). */
class EditedTextTest {

  private static final String MARK = "\u00ab" + Auxiliary.TOKEN + "\u00bb";

  @Property(tries = 500)
  void cutOutAgain(
      @ForAll("texts") String text,
      @ForAll List<@net.jqwik.api.constraints.IntRange(max = 30) Integer> places,
      @ForAll Dialect dialect)
      throws NotUnderstood {
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    Edits edits = Edits.NONE;
    for (int place : places) {
      if (place < tokens.count()) {
        edits = edits.and(Edits.after(tokens, place, MARK));
      }
    }
    int inserted = edits.all().size();
    EditedText edited = new EditedText(tokens, edits);
    String marked = String.join(String.valueOf(Auxiliary.TOKEN), edited.pieces());
    assertThat(marked.replace(MARK, "")).isEqualTo(text);
    TextParameters parameters = edited.parameters(dialect);
    assertThat(parameters.writers()).hasSize(inserted);
    assertThat(parameters.index()).isSorted().doesNotHaveDuplicates();
    assertThat(
            IntStream.concat(IntStream.of(parameters.index()), IntStream.of(parameters.writers()))
                .sorted()
                .toArray())
        .isEqualTo(IntStream.rangeClosed(1, parameters.count() + inserted).toArray());
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.of(" ", "a", "?", ",", "(", ")", "'?'", "\"?\"", "/*?*/", "--?\n", "=", ";")
        .list()
        .ofMaxSize(20)
        .map(list -> String.join(" ", list));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          H2         | UPDATE t SET a = ? WHERE b = ?             | [1, 3] | [2]
          MARIADB    | INSERT INTO t VALUES (?, ?), (?, '?')      | [1, 2, 5] | [4, 7]
          SQLITE     | UPDATE t SET a = ?2 WHERE b = ?1           | [1, 2] | [3]
          SQLITE     | UPDATE t SET a = :x WHERE b = :y OR a = :x | [1, 3] | [2]
          SQLITE     | UPDATE t SET a = ?1 WHERE b = ?            | [1, 2] | []
          """)
  void places(Dialect dialect, String sql, String index, String writers) {
    RewritePlan plan =
        new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE)
            .plan(sql, new TestCatalog(dialect).prepared("t", "a", "b"));
    assertThat(java.util.Arrays.toString(plan.parameterIndex())).isEqualTo(index);
    assertThat(java.util.Arrays.toString(plan.tokenParameters())).isEqualTo(writers);
    assertThat(plan.isRewritten()).isEqualTo(!writers.equals("[]"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          H2         | INSERT INTO t VALUES (?, ?), (1, ?)    | [3, 6] | [4, 7] | ?, ?, ?, ?), (1, ?, ?, ?)
          H2         | INSERT INTO t DEFAULT VALUES           | [1]    | [2]    | ?, ?)
          SQLITE     | INSERT INTO t VALUES (?2, 1), (?1, ?2) | [4, 5] | [3]    | ?2, 1, ?4, ?3), (?1, ?2, ?5, ?3)
          SQLITE     | INSERT INTO t VALUES (:x, :x)          | [2]    | [3]    | :x, :x, ?, ?)
          """)
  void placesOfRowIds(Dialect dialect, String sql, String rows, String writers, String end) {
    RewritePlan plan =
        new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE)
            .plan(sql, new TestCatalog(dialect).prepared("t", "a", "b"));
    assertThat(java.util.Arrays.toString(plan.rowIdParameters())).isEqualTo(rows);
    assertThat(java.util.Arrays.toString(plan.tokenParameters())).isEqualTo(writers);
    assertThat(plan.preparedSql()).endsWith(end);
  }

  @Test
  void redactionLeavesNoLiteral() {
    assertThat(
            Redactor.redact(
                "select 'secret', 42, \"secret\" -- secret\n from `t` where a=x'00' /* secret */",
                Dialect.MYSQL))
        .isEqualTo("select ?, ?, ? from `t` where a=?");
    assertThat(
            Redactor.redact("select $$secret$$ from \"t\" where a = 'secret", Dialect.POSTGRESQL))
        .isEqualTo("select ? from \"t\" where a = …");
  }

  /** A setting of the session decides where such a literal ends, and so what is a literal. */
  @Test
  void redactionLeavesNothingBehindALiteralWhoseEndIsInDoubt() {
    for (Dialect dialect : new Dialect[] {Dialect.MYSQL, Dialect.MARIADB, Dialect.POSTGRESQL}) {
      for (String doubtful : new String[] {"'C:\\'", "'a\\'b'", "'it\\'s'", "'\\\\'"}) {
        for (String after :
            new String[] {"'secret'", "secret'", "/* secret */ 1", "x'5ec2e7' 'secret'"}) {
          String sql = "select d from t where d = " + doubtful + " or d = " + after;
          assertThat(Redactor.redact(sql, dialect))
              .as(dialect + " " + sql)
              .doesNotContain("secret");
        }
      }
    }
  }
}
