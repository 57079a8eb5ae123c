package io.txwatch.sql.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Statements and the trees that are made of them. A tree is written in brackets: an operator, a
 * clause or a kind of node, and its parts; a leaf is its text.
 */
class StatementParserTest {

  @TestFactory
  Stream<DynamicTest> conditions() {
    return cases(
        Dialect.POSTGRESQL,
        """
        a = 1 AND b = 2 OR NOT c
        -> [OR [AND [= a 1] [= b 2]] [NOT c]]
        a + b * 2 > -c
        -> [> [+ * a b 2] [- c]]
        a=-1
        -> [= a [- 1]]
        a BETWEEN 1 AND 2 AND b
        -> [AND [BETWEEN a 1 2] b]
        a NOT IN (1, 2)
        -> [not in a [tuple 1 2]]
        a IN (SELECT x FROM u)
        -> [in a [query [select [item x] [from u]]]]
        NOT EXISTS (SELECT FROM u)
        -> [NOT [query [select [from u]]]]
        a IS NOT DISTINCT FROM b
        -> [IS NOT DISTINCT FROM a b]
        a IS NULL = b
        -> [= [IS NULL a] b]
        a LIKE 'x%' ESCAPE '!' OR b !~* 'y'
        -> [OR [LIKE a 'x%' '!'] [!~* b 'y']]
        a::numeric(10, 2)::text = '1'
        -> [= [:: [:: a numeric(10, 2)] text] '1']
        CAST(a AS double precision) = 1
        -> [= [call CAST a double precision] 1]
        CASE WHEN a THEN 1 ELSE 2 END = 1
        -> [= [case a 1 2] 1]
        extract(year FROM d) = 2020
        -> [= [call extract year d] 2020]
        trim(BOTH 'x' FROM a) = position(b IN c)
        -> [= [call trim 'x' a] [call position b c]]
        (a, b) = ANY (SELECT 1, 2)
        -> [= [tuple a b] [query [select [item 1] [item 2]]]]
        s.t.a[1] = ARRAY[1, 2]
        -> [= [[] s.t.a 1] [tuple 1 2]]
        count(*) FILTER (WHERE a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) > 1
        -> [> [call count * a b c 1] 1]
        string_agg(DISTINCT a, ',' ORDER BY b DESC NULLS LAST) = ?
        -> [= [call string_agg a ',' b] ?]
        d AT TIME ZONE 'UTC' > timestamp with time zone '2020-01-01'
        -> [> [AT TIME ZONE d 'UTC'] timestamp with time zone '2020-01-01']
        a @#$ # AND (SELECT 1) ## > (SELECT 2 FROM u) b b b
        -> [opaque [query [select [item 1]]] [query [select [item 2] [from u]]]]
        a AND (b b b) AND c
        -> [AND a [tuple [opaque]] c]
        """,
        "SELECT FROM t WHERE ");
  }

  @TestFactory
  Stream<DynamicTest> conditionsOfMySql() {
    return cases(
        Dialect.MYSQL,
        """
        a || b && c XOR d
        -> [|| a [XOR [&& b c] d]]
        a <=> b DIV 2
        -> [<=> a [DIV b 2]]
        d > NOW() - INTERVAL 1 + 1 DAY
        -> [> d [- [call NOW] [INTERVAL [+ 1 1]]]]
        BINARY a = _utf8'x' COLLATE utf8_bin
        -> [= [BINARY a] [COLLATE _utf8'x']]
        MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE)
        -> [call MATCH a b 'x']
        a NOT REGEXP 'x' AND @a := 1
        -> [AND [NOT REGEXP a 'x'] [:= @a 1]]
        CONVERT(a, CHAR(10)) = JSON_EXTRACT(b, '$.c')
        -> [= [call CONVERT a CHAR(10)] [call JSON_EXTRACT b '$.c']]
        """,
        "SELECT 1 FROM t WHERE ");
  }

  @TestFactory
  Stream<DynamicTest> statements() {
    return cases(
        Dialect.POSTGRESQL,
        """
        SELECT DISTINCT ON (a) a AS x, t.*, b y FROM t, LATERAL (SELECT 1) u WHERE a GROUP BY a, b HAVING c ORDER BY 1 DESC LIMIT 1 FOR UPDATE OF t SKIP LOCKED
        -> [select a [item a] [item t.*] [item b] [from t [derived [select [item 1]]]] [where a] [group_by a b] [having c]] [order_by 1] [limit 1] [lock]
        SELECT a FROM t UNION ALL (SELECT b FROM u ORDER BY 1) EXCEPT VALUES (1), (2) ORDER BY 1
        -> [UNION ALL EXCEPT [select [item a] [from t]] [nested [select [item b] [from u]] [order_by 1]] [values [tuple 1] [tuple 2]]] [order_by 1]
        SELECT 1 FROM a JOIN b USING (x) LEFT JOIN (c CROSS JOIN d) ON a.x = c.x NATURAL JOIN e
        -> [select [item 1] [from [join [join [join a b] [nested [join c d]] [= a.x c.x]] e]]]
        SELECT 1 FROM a JOIN b JOIN c ON b.x = c.x ON a.x = b.x
        -> [select [item 1] [from [join [join a b] c [= b.x c.x] [= a.x b.x]]]]
        SELECT * FROM generate_series(1, 2) WITH ORDINALITY AS g (a, b), ROWS FROM (f(1), g(2)) AS r
        -> [select [item *] [from [function 1 2] [function [call f 1] [call g 2]]]]
        WITH RECURSIVE x (a) AS (SELECT 1), y AS MATERIALIZED (DELETE FROM t RETURNING *) SELECT a FROM x, y
        -> [with [common [select [item 1]]] [common [delete t [returning [item *]]]]] [select [item a] [from x y]]
        INSERT INTO s.t AS x (a, b) VALUES (1, DEFAULT), (?, (SELECT 1)) ON CONFLICT (a) WHERE b DO UPDATE SET b = excluded.b WHERE x.b RETURNING a, b AS c
        -> [insert s.t AS x [values [tuple 1 DEFAULT] [tuple ? [query [select [item 1]]]]] [conflict a b [set b excluded.b] [where x.b]] [returning [item a] [item b]]]
        INSERT INTO t SELECT a FROM u JOIN v ON TRUE ON CONFLICT DO NOTHING
        -> [insert t [select [item a] [from [join u v TRUE]]] [conflict]]
        UPDATE ONLY t AS x SET a = 1, (b, c) = (SELECT 1, 2) FROM u WHERE x.a = u.a RETURNING *
        -> [update t AS x [set a 1] [set b c [query [select [item 1] [item 2]]]] [from u] [where [= x.a u.a]] [returning [item *]]]
        DELETE FROM t USING u WHERE t.a = u.a
        -> [delete t [using u] [where [= t.a u.a]]]
        MERGE INTO t USING u JOIN v ON u.a = v.a ON t.a = u.a WHEN MATCHED AND CASE WHEN a THEN b END THEN UPDATE SET b = 1 WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a) RETURNING t.*
        -> [merge t [using [join u v [= u.a v.a]]] [= t.a u.a] [update [case a b] [set b 1]] [delete] [insert [tuple u.a]] [returning [item t.*]]]
        SELECT a FROM t WHERE
        -> opaque: an expression expected
        VACUUM t
        -> opaque: an unknown statement
        """,
        "");
  }

  @TestFactory
  Stream<DynamicTest> statementsOfMySql() {
    return cases(
        Dialect.MYSQL,
        """
        DELETE a, b.* FROM t a JOIN u b ON a.x = b.x WHERE a.y
        -> [delete a b.* [join t a u b [= a.x b.x]] [where a.y]]
        DELETE FROM a USING t a, u
        -> [delete a t a u]
        INSERT IGNORE t SET a = 1, b = DEFAULT ON DUPLICATE KEY UPDATE a = VALUES(a)
        -> [insert t [set a 1] [set b DEFAULT] [conflict [set a [call VALUES a]]]]
        INSERT INTO t VALUES (1) AS n ON DUPLICATE KEY UPDATE a = n.a
        -> [insert t [values [tuple 1]] [conflict [set a n.a]]]
        UPDATE LOW_PRIORITY t, u SET t.a = u.a WHERE t.b = u.b
        -> [update t u [set t.a u.a] [where [= t.b u.b]]]
        SELECT SQL_NO_CACHE a 'x' FROM t FORCE INDEX (i) WHERE a LIMIT 1, 2 LOCK IN SHARE MODE
        -> [select [item a] [from t FORCE INDEX (i)] [where a]] [limit 1 2] [lock]
        """,
        "");
  }

  private static Stream<DynamicTest> cases(Dialect dialect, String text, String before) {
    String[] lines = text.strip().split("\n");
    return Stream.iterate(0, i -> i + 2)
        .limit(lines.length / 2)
        .map(
            i ->
                DynamicTest.dynamicTest(
                    lines[i],
                    () -> {
                      Statement statement = parse(before + lines[i], dialect);
                      String all =
                          new Tree(Tokenizer.tokenize(before + lines[i], dialect)).of(statement);
                      String prefix =
                          before.isEmpty() ? "" : all.substring(0, all.indexOf("[where ") + 7);
                      String rest =
                          before.isEmpty() ? all : all.substring(prefix.length(), all.length() - 2);
                      assertThat(rest).isEqualTo(lines[i + 1].substring(3));
                    }));
  }

  @Test
  void nestingIsLimited() {
    for (String nested :
        List.of(
            "(".repeat(5000) + "1" + ")".repeat(5000),
            "- ".repeat(5000) + "1",
            "NOT ".repeat(5000) + "1")) {
      assertThat(parse("SELECT " + nested, Dialect.H2)).isInstanceOf(Statement.Opaque.class);
    }
  }

  @Test
  void longListsAreFlat() {
    String sum = "1 + ".repeat(20_000) + "1";
    String condition = "a = 1 OR ".repeat(20_000) + "b";
    String union = "SELECT 1 UNION ALL ".repeat(20_000) + "SELECT 2";
    for (String text : List.of("SELECT " + sum, "SELECT 1 FROM t WHERE " + condition, union)) {
      assertThat(parse(text, Dialect.H2)).isInstanceOf(Statement.Select.class);
    }
  }

  /** Each level that is not known contains a query that is: nothing may be parsed at each anew. */
  @Test
  void unknownTextInUnknownTextEndsSoon() {
    String text = "1";
    for (int i = 0; i < 25; i++) {
      text = "(SELECT " + text + " # # # #)";
    }
    assertThat(parse("SELECT " + text, Dialect.H2).span().from()).isZero();
  }

  @Property(tries = 2000)
  void anyTextIsParsedAndItsPartsLieWithinTheWhole(
      @ForAll("texts") String text, @ForAll Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    if (!tokens.isBroken()) {
      Span span = new Span(0, tokens.count());
      Statement statement = StatementParser.parse(tokens, dialect, span);
      assertThat(statement.span()).isEqualTo(span);
      statement.forEach(StatementParserTest::assertChildrenLieWithin);
    }
  }

  private static void assertChildrenLieWithin(Node node) {
    int at = node.span().from();
    for (Node child : node.children()) {
      assertThat(child.span().from()).isGreaterThanOrEqualTo(at);
      assertThat(child.span().to()).isGreaterThanOrEqualTo(child.span().from());
      at = child.span().to();
    }
    assertThat(at).isLessThanOrEqualTo(node.span().to());
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> words =
        Arbitraries.of(
                ("select from where group|by order|by having limit 1 a b t t.* * , ( ) ( ) = + - and or not in"
                        + " between is|null exists case when then else end as join left|join on using|(a)"
                        + " union union|all insert|into t values set update delete|from on|conflict do"
                        + " returning with|x|as|( merge|into|t using when|matched|then 'x' ? :: int [ ]"
                        + " over|( partition|by for|update distinct cast( natural|join")
                    .split(" "))
            .map(word -> word.replace('|', ' '))
            .list()
            .ofMaxSize(30)
            .map(list -> "select a from t where " + String.join(" ", list));
    return Arbitraries.oneOf(words, SqlFragments.texts());
  }

  private static Statement parse(String text, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    return StatementParser.parse(tokens, dialect, new Span(0, tokens.count()));
  }

  /** A tree in brackets. */
  private record Tree(Tokens tokens) {

    String of(Node node) {
      if (node instanceof Statement.Opaque opaque) {
        return "opaque: " + opaque.detail();
      }
      if (node instanceof Statement.Select || node instanceof Query) {
        return parts(node);
      }
      String name = name(node);
      if (name.isEmpty() && node.children().isEmpty()) {
        return tokens
            .text()
            .substring(tokens.start(node.span().from()), tokens.end(node.span().to() - 1));
      }
      return "[" + (name + " " + parts(node)).strip() + "]";
    }

    private String parts(Node node) {
      return node.children().stream().map(this::of).collect(Collectors.joining(" "));
    }

    private static String name(Node node) {
      if (node instanceof Expression.Chain chain) {
        return chain.operators().stream().distinct().collect(Collectors.joining(" "));
      }
      if (node instanceof Expression.Operation operation) {
        return operation.operator();
      }
      if (node instanceof Expression.Call call) {
        return "call " + call.name().get(call.name().size() - 1);
      }
      if (node instanceof Expression.In in) {
        return in.negated() ? "not in" : "in";
      }
      if (node instanceof QueryBody.SetOperation operation) {
        return String.join(" ", operation.operators());
      }
      if (node instanceof Clause clause) {
        return clause.kind().name().toLowerCase(Locale.ROOT);
      }
      if (node instanceof MergeBranch branch) {
        return branch.action().name().toLowerCase(Locale.ROOT);
      }
      return Arrays.asList(
                  Item.class,
                  With.class,
                  Expression.Tuple.class,
                  Expression.Case.class,
                  Expression.Opaque.class,
                  Source.Join.class,
                  Source.Nested.class,
                  Source.Function.class,
                  Source.Derived.class,
                  QueryBody.Select.class,
                  QueryBody.Values.class,
                  QueryBody.Nested.class,
                  Statement.Insert.class,
                  Statement.Update.class,
                  Statement.Delete.class,
                  Statement.Merge.class,
                  Statement.Returning.class)
              .contains(node.getClass())
          ? node.getClass().getSimpleName().toLowerCase(Locale.ROOT)
          : node instanceof Expression.Subquery
              ? "query"
              : node instanceof CommonTable
                  ? "common"
                  : node instanceof Assignment
                      ? "set"
                      : node instanceof OnConflict ? "conflict" : "";
    }
  }
}
