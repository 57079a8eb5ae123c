package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner.Planned;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.ValuePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Redactor;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The plan that follows from that of a text's shape is the plan of the text itself, with the values
 * of its literals; and so are the columns that it uses, and what reports show of it.
 */
class PlansOfShapesTest {

  private static final String[] LITERALS = {
    "0",
    "1",
    "2",
    "7",
    "-3",
    "- 4",
    "+5",
    "007",
    "123456789012345678",
    "1234567890123456789",
    "1.50",
    ".5",
    "5.",
    "1e5",
    "0x1F",
    "'x'",
    "''",
    "'?'",
    "'it''s'",
    "'''a'''",
    "'M\u00fcller'",
    "'a\\b'",
    "'a\\'",
    "'say \"x\"'",
    "'1\n2'",
    "'a' 'b'",
    "N'x'",
    "E'a\\n'",
    "X'41'",
    "b'01'",
    "_utf8'x'",
    "$$x$$",
    "'0f8fad5b-d9cb-469f-a165-70867728950e'",
    "'0F8FAD5B-D9CB-469F-A165-70867728950E'",
    "'0f8fad5bxd9cb-469f-a165-70867728950e'",
    "date '2026-11-28'",
    "DATE'2026-11-28'",
    "timestamp '2026-11-28 10:00:00'",
    "interval '1' day",
    "cast(3 as integer)",
    "cast('3' as varchar)",
    "null",
    "true",
    "FALSE",
    "?",
    "\"x\"",
    "\"'x'\"",
    "`id`",
    "(1)",
    "a"
  };

  private static final String[] BLANKS = {
    " ", "  ", "\n", "\t", " /* a 'b */ ", " -- 'c\n", "/**/", " /*+ x(1) */ ", " /*! 1 */ "
  };

  /** {@code #} stands for a literal. */
  private static final String[] TEXTS = {
    "select id, a, b from t where id = #",
    "select a from t where id = # and b = #",
    "select b from t where # = id or a between # and #",
    "select * from t where a in (#, #, #) order by #",
    "select a, count(*) from t group by 1 having count(*) > #",
    "select id from t where a % # = # and not (b = #)",
    "select id # from t where id = #",
    "select id as # from t",
    "select id 'x' from t order by \"'x'\"",
    "select id, # x from t order by x limit #",
    "select id from t order by 1 limit 0",
    "select id from t order by 1 limit # offset #",
    "select x.id from (select id, # as x from t order by 2 limit #) x where x.id = #",
    "select x.id from (select id, a '#' from t group by 1, 2) x where x.id > #",
    "select t.id, u.c from t join u on u.t_id = t.id and u.c = # where t.id = #",
    "select sum(a) from t where b >= # for update",
    "select top # id from t",
    "select count(*) from t where uuid = # and name = #",
    "select name, uuid from k where uuid = #",
    "select * from k where name = #",
    "update k set name = # where uuid = #",
    "insert into k (uuid, name) values (#, #)",
    "update t set a = #, b = # where id = #",
    "update t set id = # where id = #",
    "update t set a = a + #, b = coalesce(b, #) where a = #",
    "delete from t where id = #",
    "delete from t where id = # and a < # limit #",
    "insert into t values (#, #, #)",
    "insert into t (id, a) values (#, #), (#, #)",
    "insert into t set id = #, a = #",
    "insert into t (a) select # from u where c = #",
    "replace into t values (#, #, #)",
    "insert into t values (#, #, #) on duplicate key update a = #",
    "insert into t values (#, #, #) on conflict (id) do update set a = #",
    "merge into t using u on t.id = u.t_id when matched then update set a = #",
    "with q as (select id from t where a = #) select id from q where id = #",
    "select id from t union all select # from u",
    "values (#, #)",
    "select # from t where id = #;",
    "select 1; select #",
    "set a = #",
    "savepoint a",
    "call p(#)",
    "explain select id from t where id = #",
  };

  private static Catalog catalog(Dialect dialect) {
    return new TestCatalog(dialect)
        .with("t", Status.NOT_PREPARED, "id", "a", "b varchar(20)")
        .with("u", Status.NOT_PREPARED, "id", "t_id", "c varchar(20)")
        .with("w", Status.NOT_PREPARED, "a", "c varchar(20)")
        .with("np", Status.NOT_PREPARED, "id", "x")
        .with("k", Status.NOT_PREPARED, "uuid uuid", "name varchar(20)")
        .with("g", Status.NOT_PREPARED, "n", "k", "s varchar(20)")
        .with("e", Status.NOT_PREPARED, "id", "x varchar(20)")
        .with("p", Status.NOT_PREPARED, "k", "v varchar(20)")
        .view("v", "select id, a, b from t where id > 1", "id", "a", "b");
  }

  @Property(tries = 1000)
  void textsOfEachKind(@ForAll Random random, @ForAll Dialect dialect) {
    check(withLiterals(TEXTS[random.nextInt(TEXTS.length)], random), dialect);
  }

  @Property(tries = 150)
  void generatedStatements(@ForAll Random random, @ForAll Dialect dialect) {
    String text = new StatementGenerator(random.nextLong()).statement();
    check(withOtherLiterals(text, dialect, random), dialect);
    text = new ReadGenerator(random.nextLong(), dialect).query();
    check(withOtherLiterals(text, dialect, random), dialect);
  }

  @Property(tries = 150)
  void unusualStatements(@ForAll Random random) {
    for (String text : new ShapeGenerator(random.nextLong()).script()) {
      check(withOtherLiterals(text, Dialect.POSTGRESQL, random), Dialect.POSTGRESQL);
    }
  }

  @Property(tries = 300)
  void anyTexts(@ForAll("texts") String text, @ForAll Dialect dialect) {
    check(text, dialect);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.oneOf(
        Fragments.texts(),
        Fragments.texts().map(text -> "select a from t where a = 1 " + text),
        Fragments.texts().map(text -> "update t set a = " + text));
  }

  private static void check(String text, Dialect dialect) {
    for (boolean hasRecord : new boolean[] {true, false}) {
      UntouchedPlanner planner = new UntouchedPlanner(Products.of(dialect).sql(), hasRecord);
      Catalog catalog = catalog(dialect);
      Tokens tokens = planner.tokens(text);
      Optional<TextShape> shape = planner.shape(tokens);
      Optional<Planned> ofShape = shape.flatMap(of -> planner.planned(of, catalog));
      if (ofShape.isEmpty()) {
        return;
      }
      Planned followed = ofShape.get().in(shape.get().tokens());
      Planned made = planner.planned(tokens, catalog, PlanRequest.ANY);
      assertThat(parts(followed)).as(text).isEqualTo(parts(made));
      assertThat(followed.columns().text()).isEqualTo(made.columns().text());
      assertThat(Redactor.redact(shape.get().text(), dialect))
          .isEqualTo(Redactor.redact(text, dialect));
      assertThat(followed.levelChange()).as(text).isEqualTo(made.levelChange());
      assertThat(kinds(shape.get().text(), dialect)).isEqualTo(kinds(text, dialect));
      assertThat(planner.shape(planner.tokens(shape.get().text())).map(TextShape::text))
          .contains(shape.get().text());
    }
  }

  /** All that is known of a text, so that it can be compared: arrays are as lists. */
  private static List<Object> parts(Planned planned) {
    RewritePlan plan = planned.plan();
    ValuePlan values = plan.values().orElseThrow();
    return List.of(
        List.of(plan.original(), plan.kind(), plan.control()),
        List.of(plan.passThrough(), plan.passThroughDetail(), plan.keys()),
        List.of(plan.mayLeaveUnnamed(), plan.starShowsAuxiliary(), plan.usesSystemColumns()),
        List.of(plan.preparedSql(), plan.immediatePieces(), plan.parameterCount()),
        List.of(ints(plan.parameterIndex()), ints(plan.immediateGaps())),
        List.of(plan.tokenParameters().length, plan.rowIdParameters().length),
        List.of(plan.returns(), plan.appended(), plan.sideReads(), plan.newRows(), plan.names()),
        List.of(values.reads(), values.resultColumns(), values.unread()),
        List.of(values.write(), values.choice(), ints(values.places().indexes())),
        List.of(planned.columns(), planned.key()));
  }

  private static List<Integer> ints(int[] of) {
    return Arrays.stream(of).boxed().toList();
  }

  private static List<TokenKind> kinds(String text, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    TokenKind[] kinds = new TokenKind[tokens.count()];
    Arrays.setAll(kinds, tokens::kind);
    return List.of(kinds);
  }

  /** A text with other literals in the place of its marks, and sometimes with other blanks. */
  private static String withLiterals(String text, Random random) {
    StringBuilder made = new StringBuilder();
    boolean others = random.nextInt(3) == 0;
    for (char c : text.toCharArray()) {
      if (c == '#') {
        made.append(one(LITERALS, random));
      } else if (c == ' ' && others && random.nextInt(4) == 0) {
        made.append(one(BLANKS, random));
      } else {
        made.append(c);
      }
    }
    return made.toString();
  }

  private static String withOtherLiterals(String text, Dialect dialect, Random random) {
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    StringBuilder made = new StringBuilder();
    for (int i = 0; i < tokens.allCount(); i++) {
      TokenKind kind = tokens.kindOfAll(i);
      boolean isLiteral = kind == TokenKind.NUMBER || kind == TokenKind.STRING;
      if (isLiteral && random.nextInt(3) == 0) {
        made.append(one(LITERALS, random));
      } else {
        made.append(text, tokens.startOfAll(i), tokens.endOfAll(i));
      }
    }
    return made.toString();
  }

  private static String one(String[] choices, Random random) {
    return choices[random.nextInt(choices.length)];
  }

  // ---------------------------------------------------------------- shapes

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select a from t where id = 17 and b='it' -> select a from t where id = 0 and b='?'",
        "select  a /* 5 */ from t -- x            -> select a from t",
        "update t set a=-1.25, b = 'it''s'        -> update t set a=-0.0, b = ''''",
        "insert into t values (1, 'x\u00e9', NULL) -> insert into t values (0, '''', NULL)",
        "select 1e5, 0x1F, X'41', N'x', 'a\\b'    -> select 1e5, 0x1F, X'41', N'x', 'a\\b'",
        "select 1 where ? = '0f8fad5b-d9cb-469f-a165-70867728950e'"
            + " -> select 0 where ? = '00000000-0000-0000-0000-000000000000'",
        "select 1234567890123456789               -> select 1234567890123456789",
        "select 'a                                -> NONE",
        "select /*! 1 */ 2                        -> NONE",
        "select 'a\\'                             -> NONE",
      })
  void literalsHavePlaces(String text, String shape) {
    assertThat(
            TextShape.of(Tokenizer.tokenize(text, Dialect.MARIADB))
                .map(TextShape::text)
                .orElse("NONE"))
        .isEqualTo(shape);
  }

  @Test
  void aTableThatIsNotKnownIsAskedForByEachText() {
    UntouchedPlanner planner = new UntouchedPlanner(Products.of(Dialect.H2).sql(), true);
    for (String text :
        List.of("select a from elsewhere where id = 1", "set a = 1", "select 1; select 2")) {
      assertThat(
              planner
                  .shape(planner.tokens(text))
                  .flatMap(of -> planner.planned(of, catalog(Dialect.H2))))
          .isEmpty();
    }
  }

  @Test
  void valuesAreThoseOfTheText() {
    UntouchedPlanner planner = new UntouchedPlanner(Products.of(Dialect.H2).sql(), true);
    String text = "update t set a = -7, b = 'y' where id = 42";
    TextShape shape = planner.shape(planner.tokens(text)).orElseThrow();
    RewritePlan plan =
        planner.planned(shape, catalog(Dialect.H2)).orElseThrow().in(shape.tokens()).plan();
    assertThat(plan.original()).isEqualTo(text);
    assertThat(plan.preparedSql()).isEqualTo(text);
    ValuePlan.Row row = plan.values().orElseThrow().write().orElseThrow().rows().get(0);
    assertThat(row.key()).containsExactly(new ValuePlan.Literal(42L));
    assertThat(row.values()).containsExactly(ValuePlan.COMPUTED, new ValuePlan.Literal("y"));
  }
}
