package io.txwatch.sql.semantics;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.AnyGrammar;
import io.txwatch.sql.semantics.TableDefinition.Attribute;
import io.txwatch.sql.semantics.TableDefinition.Element;
import io.txwatch.sql.semantics.TableDefinition.Reference;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What definitions of tables and indexes define. */
class TableDefinitionTest {

  private static Tokens tokens(String sql) {
    return Tokenizer.tokenize(sql, AnyGrammar.INSTANCE);
  }

  private static TableDefinition table(String elements) {
    return TableDefinition.of(tokens("CREATE TABLE t (" + elements + ")")).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a INT                                          | COLUMN      | [a]
          key VARCHAR(10)                                | COLUMN      | [key]
          "Check" INT                                    | COLUMN      | [check]
          PRIMARY KEY (a, `B`)                           | PRIMARY_KEY | [a, b]
          CONSTRAINT pk PRIMARY KEY (a)                  | PRIMARY_KEY | [a]
          UNIQUE (a DESC, b)                             | UNIQUE      | [a, b]
          UNIQUE KEY k (a(10))                           | UNIQUE      | [a]
          UNIQUE NULLS NOT DISTINCT (a)                  | UNIQUE      | [a]
          CONSTRAINT UNIQUE (a)                          | UNIQUE      | [a]
          INDEX i (a)                                    | INDEX       | [a]
          KEY (a)                                        | INDEX       | [a]
          KEY k USING BTREE (a)                          | INDEX       | [a]
          INDEX ((a + b))                                | INDEX       | [a, b]
          FULLTEXT KEY (a)                               | INDEX       | [a]
          CONSTRAINT f FOREIGN KEY (a) REFERENCES p (b)  | FOREIGN_KEY | [a]
          CHECK (a > 0)                                  | OTHER       | []
          """)
  void elements(String element, TableDefinition.Kind kind, String columns) {
    Element found = table("x INT, " + element + ", y INT").elements().get(1);

    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.columns()).hasToString(columns);
  }

  @Test
  void attributesOfAColumn() {
    List<Element> columns =
        table("a DECIMAL(3, 1) NOT NULL PRIMARY KEY, b INT UNIQUE DEFAULT 1, c INT DEFAULT NULL")
            .columns();

    assertThat(columns).extracting(Element::type).containsExactly("DECIMAL", "INT", "INT");
    assertThat(columns.get(0).attributes())
        .containsExactlyInAnyOrder(Attribute.NOT_NULL, Attribute.PRIMARY_KEY);
    assertThat(columns.get(1).attributes())
        .containsExactlyInAnyOrder(Attribute.UNIQUE, Attribute.DEFAULT);
    assertThat(columns.get(2).attributes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE IF NOT EXISTS s.\"T\" (a INT) PARTITION BY RANGE COLUMNS (a) (PARTITION p)",
        "CREATE TEMPORARY TABLE `t` (a INT, PRIMARY KEY (a)) PARTITION BY HASH (a)",
        "CREATE OR REPLACE TEMPORARY TABLE t (a INT) PARTITION BY LINEAR KEY (a) PARTITIONS 2"
      })
  void namesAndPartitions(String sql) {
    TableDefinition table = TableDefinition.of(tokens(sql)).orElseThrow();

    assertThat(table.table()).isEqualTo("t");
    assertThat(table.partitionColumns()).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t PARTITION OF u FOR VALUES IN (1)",
        "CREATE VIEW t (a) AS TABLE u",
        "CREATE INDEX i ON t (a)",
        "CREATE TABLE t (a",
        ""
      })
  void otherStatements(String sql) {
    assertThat(TableDefinition.of(tokens(sql))).isEmpty();
  }

  @Test
  void references() {
    List<Reference> references =
        TableDefinition.references(
            tokens(
                "CREATE TABLE t (a INT REFERENCES p ON UPDATE NO ACTION, s TEXT DEFAULT"
                    + " 'REFERENCES x', FOREIGN KEY (a) REFERENCES \"Q\" (b, c) ON DELETE RESTRICT"
                    + " ON UPDATE SET NULL)"));

    assertThat(references).extracting(Reference::table).containsExactly("p", "q");
    assertThat(references.get(0).columns()).isEmpty();
    assertThat(references.get(1).columns()).containsExactly("b", "c");
    assertThat(references).extracting(Reference::hasActions).containsExactly(false, true);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CREATE INDEX i ON t (a, b DESC)               | t false [a, b]
          CREATE UNIQUE INDEX "I" ON s."T" (a(4))       | t true [a]
          CREATE INDEX i ON t USING btree ((a + 1), b)  | t false [a, b]
          CREATE INDEX IF NOT EXISTS i ON t (lower(a))  | t false [lower, a]
          """)
  void indexes(String sql, String expected) {
    IndexDefinition index = IndexDefinition.of(tokens(sql)).orElseThrow();

    assertThat(index.table() + " " + index.unique() + " " + index.columns()).isEqualTo(expected);
  }
}
