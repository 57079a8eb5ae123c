package io.txwatch.sql;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.SelectBlock.Role;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.merge.Merge;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.upsert.Upsert;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.jspecify.annotations.Nullable;

/**
 * The second opinion: JSqlParser must see the statement that the scanner saw. They share no code
 * but the tokenizer, so a construct that one of them misreads shows as a difference, and the
 * statement stays as it is.
 *
 * <p>Compared are the kind, the set of tables at every depth, and for the top block its sources
 * with their aliases in order, the number of its columns, DISTINCT and GROUP BY. The parser runs on
 * a daemon thread of its own, since some nestings cost it exponential time: past {@link
 * #BUDGET_MILLIS} it is stopped, and its opinion counts as a difference.
 */
final class ParserAgreement {

  /** How long a parse may take; a usual statement takes 30 µs, the first one loads classes. */
  static final long BUDGET_MILLIS = 3_000;

  private static final int MAX_LENGTH = 100_000;

  private static final ThreadPoolExecutor PARSERS =
      new ThreadPoolExecutor(
          2, 2, 2, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), ParserAgreement::daemon);

  static {
    PARSERS.allowCoreThreadTimeOut(true);
  }

  private ParserAgreement() {}

  private static Thread daemon(Runnable work) {
    return BackgroundThreads.create("txwatch-sql-parser", work);
  }

  /** What the two differ in; empty if they agree. */
  static Optional<String> difference(Tokens tokens, Dialect dialect, StatementShape shape) {
    String text = ParserText.of(tokens, dialect, shape);
    if (text.length() > MAX_LENGTH) {
      return Optional.of("too long for the parser");
    }
    CCJSqlParser simple = CCJSqlParserUtil.newParser(text).withAllowComplexParsing(false);
    CCJSqlParser complex = CCJSqlParserUtil.newParser(text).withAllowComplexParsing(true);
    Future<Optional<String>> answer = PARSERS.submit(() -> compare(parse(simple, complex), shape));
    boolean interrupted = false;
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BUDGET_MILLIS);
    try {
      while (true) {
        try {
          return answer.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      simple.interrupted = true;
      complex.interrupted = true;
      answer.cancel(true);
      return Optional.of("the parser took too long");
    } catch (ExecutionException | CancellationException e) {
      return Optional.of("the parser does not know it");
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Statement parse(CCJSqlParser simple, CCJSqlParser complex) throws ParseException {
    try {
      return simple.Statement();
    } catch (ParseException | RuntimeException e) {
      return complex.Statement();
    }
  }

  private static Optional<String> compare(Statement statement, StatementShape shape) {
    if (!kindAgrees(statement, shape.kind)) {
      return Optional.of("scanner and parser differ in the kind of statement");
    }
    Set<String> scanned = new TreeSet<>();
    addTables(shape, scanned);
    Set<String> parsed = new TreeSet<>();
    for (String name : new TablesNamesFinder<Void>().getTables(statement)) {
      Table table = new Table(List.of(name));
      parsed.add(foldQualified(table.getFullyQualifiedName()));
    }
    if (!scanned.equals(parsed)) {
      return Optional.of("scanner and parser differ in the tables");
    }
    List<SelectBlock> seen =
        shape.blocks.stream().filter(b -> b.role == Role.TOP || b.role == Role.BRANCH).toList();
    if (seen.isEmpty() || shape.otherBranch) {
      return Optional.empty();
    }
    List<PlainSelect> selects = new ArrayList<>();
    if (!(statement instanceof Select select) || !plainSelects(select, selects)) {
      return Optional.of("scanner and parser differ in the blocks");
    }
    boolean same = selects.size() == seen.size();
    for (int i = 0; same && i < seen.size(); i++) {
      same =
          sameClauses(selects.get(i), seen.get(i))
              && (!shape.tableQueries.isEmpty()
                  || derivedItems(selects.get(i)).equals(derivedItems(seen.get(i))));
    }
    return same ? Optional.empty() : Optional.of("scanner and parser differ in the clauses");
  }

  private static void addTables(StatementShape shape, Set<String> into) {
    for (FromNode.TableRef table : shape.tables) {
      if (!table.isCte()) {
        into.add(fold(table.name()));
      }
    }
    shape.innerWrites.forEach(write -> addTables(write, into));
  }

  private static boolean sameClauses(PlainSelect select, SelectBlock block) {
    return sources(select).equals(sources(block))
        && select.getSelectItems().size() == block.items
        && (select.getDistinct() != null) == block.distinct
        && (select.getGroupBy() != null) == (block.groupBy >= 0)
        && (select.getHaving() != null) == (block.having >= 0)
        && (select.getWhere() != null) == (block.where >= 0);
  }

  /** The blocks that the application sees the columns of, left to right. */
  private static boolean plainSelects(Select select, List<PlainSelect> into) {
    if (select instanceof PlainSelect plain) {
      return into.add(plain);
    }
    if (select instanceof ParenthesedSelect nested) {
      return plainSelects(nested.getSelect(), into);
    }
    return select instanceof SetOperationList operation
        && operation.getSelects().stream().allMatch(branch -> plainSelects(branch, into));
  }

  /** How many columns each plain derived table in FROM has, in order. */
  private static List<Integer> derivedItems(PlainSelect select) {
    List<Integer> items = new ArrayList<>();
    derivedItems(select.getFromItem(), items);
    if (select.getJoins() != null) {
      select.getJoins().forEach(join -> derivedItems(join.getFromItem(), items));
    }
    return items;
  }

  private static void derivedItems(@Nullable FromItem item, List<Integer> into) {
    if (item instanceof ParenthesedFromItem nested) {
      derivedItems(nested.getFromItem(), into);
      if (nested.getJoins() != null) {
        nested.getJoins().forEach(join -> derivedItems(join.getFromItem(), into));
      }
    } else if (item instanceof ParenthesedSelect query
        && query.getSelect() instanceof PlainSelect inner) {
      into.add(inner.getSelectItems().size());
    }
  }

  private static List<Integer> derivedItems(SelectBlock block) {
    List<Integer> items = new ArrayList<>();
    for (FromNode.Derived derived : block.derived()) {
      derived.query().filter(inner -> inner.alone).ifPresent(inner -> items.add(inner.items));
    }
    return items;
  }

  private static boolean kindAgrees(Statement statement, StatementKind kind) {
    return switch (kind) {
      case SELECT, LOCKING_SELECT -> statement instanceof Select;
      case INSERT -> statement instanceof Insert;
      case REPLACE -> statement instanceof Insert || statement instanceof Upsert;
      case UPDATE -> statement instanceof Update;
      case DELETE -> statement instanceof Delete;
      case MERGE -> statement instanceof Merge;
      default -> false;
    };
  }

  private static String fold(List<String> name) {
    StringBuilder folded = new StringBuilder();
    name.forEach(part -> folded.append(folded.isEmpty() ? "" : ".").append(Identifiers.fold(part)));
    return folded.toString();
  }

  /** A dotted name whose parts may be quoted. */
  private static String foldQualified(String name) {
    Tokens parts = Tokenizer.tokenize(name, Dialect.MARIADB);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < parts.count(); i++) {
      if (!parts.is(i, TokenKind.DOT)) {
        texts.add(parts.text(i));
      }
    }
    return fold(texts);
  }

  /** {@code table alias} for each table in FROM, in order. */
  private static List<String> sources(SelectBlock block) {
    List<String> sources = new ArrayList<>();
    for (FromNode.TableRef table : block.tables()) {
      sources.add(fold(table.name()) + " " + table.alias().map(Identifiers::fold).orElse(""));
    }
    return sources;
  }

  private static List<String> sources(PlainSelect select) {
    List<String> sources = new ArrayList<>();
    if (select.getFromItem() != null) {
      sources(select.getFromItem(), select.getJoins(), sources);
    }
    return sources;
  }

  private static void sources(FromItem first, @Nullable List<Join> joins, List<String> into) {
    source(first, into);
    if (joins != null) {
      joins.forEach(join -> source(join.getFromItem(), into));
    }
  }

  private static void source(FromItem item, List<String> into) {
    if (item instanceof Table table) {
      String alias = table.getAlias() == null ? "" : table.getAlias().getName();
      into.add(foldQualified(table.getFullyQualifiedName()) + " " + Identifiers.fold(alias));
    } else if (item instanceof ParenthesedFromItem nested) {
      sources(nested.getFromItem(), nested.getJoins(), into);
    }
  }
}
