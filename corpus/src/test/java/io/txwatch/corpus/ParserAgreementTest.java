package io.txwatch.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import net.sf.jsqlparser.JSQLParserException;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.merge.Merge;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.upsert.Upsert;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The parser beside another one, JSqlParser, on every statement of the corpus. They share no code,
 * so what one of them misreads shows as a difference: in the kind, in the tables at every depth, or
 * in the clauses of the outermost SELECT.
 */
class ParserAgreementTest {

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void agreesWithJSqlParser(ServerKind kind) {
    Dialect dialect = Dialect.valueOf(kind.name());
    List<String> differences = new ArrayList<>();
    int compared = 0;
    List<String> statements = statements(kind);
    for (String sql : statements) {
      Optional<net.sf.jsqlparser.statement.Statement> other = parse(sql);
      Tokens tokens = Tokenizer.tokenize(sql, dialect);
      Statement own = StatementParser.parse(tokens, dialect, new Span(0, tokens.count()));
      if (other.isPresent() && !(own instanceof Statement.Opaque)) {
        compared++;
        String mine = summary(own);
        String theirs = summary(other.get());
        if (!mine.equals(theirs)) {
          differences.add(sql + "\n  " + mine + "\n  " + theirs);
        }
      }
    }
    assertThat(differences).isEmpty();
    assertThat(compared).isGreaterThan(statements.size() / 2);
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void partsLieWithinTheWholeInTheOrderOfTheText(ServerKind kind) {
    Dialect dialect = Dialect.valueOf(kind.name());
    for (String sql : statements(kind)) {
      Tokens tokens = Tokenizer.tokenize(sql, dialect);
      Statement statement = StatementParser.parse(tokens, dialect, new Span(0, tokens.count()));
      statement.forEach(node -> assertChildrenLieWithin(node, sql));
    }
  }

  private static void assertChildrenLieWithin(Node node, String sql) {
    int at = node.span().from();
    for (Node child : node.children()) {
      assertThat(child.span().from()).as("%s: %s", sql, child).isGreaterThanOrEqualTo(at);
      assertThat(child.span().to()).as("%s: %s", sql, child).isGreaterThanOrEqualTo(at);
      at = child.span().to();
    }
    assertThat(at).as("%s: %s", sql, node).isLessThanOrEqualTo(node.span().to());
  }

  private static List<String> statements(ServerKind kind) {
    return CorpusFiles.scripts(kind, 0).stream()
        .flatMap(script -> script.steps().stream())
        .map(Script.Step::sql)
        .filter(sql -> !sql.contains("$q$")) // JSqlParser reads a string in dollars as names
        .distinct()
        .toList();
  }

  private static Optional<net.sf.jsqlparser.statement.Statement> parse(String sql) {
    try {
      return Optional.ofNullable(CCJSqlParserUtil.parse(sql));
    } catch (JSQLParserException e) {
      return Optional.empty();
    }
  }

  private static String summary(Statement statement) {
    Set<String> tables = new TreeSet<>();
    Set<String> common = new TreeSet<>();
    statement.forEach(
        node -> {
          if (node instanceof Source.Table table) {
            tables.add(fold(String.join(".", table.name())));
          } else if (node instanceof CommonTable table) {
            common.add(fold(table.name()));
          }
        });
    tables.removeAll(common);
    String clauses = "";
    if (statement instanceof Statement.Select select
        && select.query().body() instanceof QueryBody.Select block) {
      clauses =
          "%d items, distinct %s, where %s, group %s, having %s"
              .formatted(
                  block.items().size(),
                  block.distinct(),
                  has(block, Clause.Kind.WHERE),
                  has(block, Clause.Kind.GROUP_BY),
                  has(block, Clause.Kind.HAVING));
    }
    return kind(statement) + " of " + tables + " " + clauses;
  }

  private static boolean has(QueryBody.Select block, Clause.Kind kind) {
    return block.clause(kind).isPresent();
  }

  private static String summary(net.sf.jsqlparser.statement.Statement statement) {
    Set<String> tables = new TreeSet<>();
    for (String name : new TablesNamesFinder<Void>().getTables(statement)) {
      tables.add(fold(new Table(List.of(name)).getFullyQualifiedName()));
    }
    String clauses = "";
    if (statement instanceof PlainSelect select) {
      clauses =
          "%d items, distinct %s, where %s, group %s, having %s"
              .formatted(
                  select.getSelectItems().size(),
                  select.getDistinct() != null,
                  select.getWhere() != null,
                  select.getGroupBy() != null,
                  select.getHaving() != null);
    }
    return kind(statement) + " of " + tables + " " + clauses;
  }

  private static String fold(String name) {
    return name.replaceAll("[\"`\\[\\]]", "").toLowerCase(Locale.ROOT);
  }

  private static String kind(Statement statement) {
    if (statement instanceof Statement.Insert) {
      return "insert";
    }
    return statement.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private static String kind(net.sf.jsqlparser.statement.Statement statement) {
    if (statement instanceof Select) {
      return "select";
    }
    if (statement instanceof Insert || statement instanceof Upsert) {
      return "insert";
    }
    if (statement instanceof Update) {
      return "update";
    }
    if (statement instanceof Delete) {
      return "delete";
    }
    return statement instanceof Merge ? "merge" : "another statement";
  }
}
