package io.txwatch.sql.semantics;

import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Query;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.With;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The nodes of a statement's tree that questions are about, at any depth, in the order of the text.
 * A write inside WITH is a statement with parts of its own.
 */
public final class StatementParts {

  private final Statement tree;
  private final boolean isInner;
  private final List<Block> blocks = new ArrayList<>();
  private final List<Source.Table> references = new ArrayList<>();
  private final List<CommonTable> commonTables = new ArrayList<>();
  private final List<With> withs = new ArrayList<>();
  private final List<QueryBody.TableQuery> tableQueries = new ArrayList<>();
  private final List<StatementParts> innerWrites = new ArrayList<>();
  private final Optional<Block> written;
  private boolean locks;
  private Optional<Block> top = Optional.empty();
  private boolean hasOpaque;
  private boolean deduplicates;
  private boolean hasOtherBranch;
  private boolean hasOtherSource;

  /** How many queries in parentheses with ORDER BY or LIMIT behind them are around. */
  private int cut;

  private StatementParts(Statement tree, boolean isInner) {
    this.tree = tree;
    this.isInner = isInner;
    this.written = written(tree);
  }

  private static Optional<Block> written(Statement tree) {
    if (tree instanceof Statement.Update update) {
      return Optional.of(Block.ofWrite(update, update.sourcesAt(), update.sources()));
    }
    return tree instanceof Statement.Delete delete
        ? Optional.of(Block.ofWrite(delete, delete.sourcesAt(), delete.sources()))
        : Optional.empty();
  }

  /**
   * The parts of a statement.
   *
   * @throws NotUnderstood if it is something else, or not plain enough to vouch for
   */
  public static StatementParts of(Statement tree) throws NotUnderstood {
    StatementParts parts = new StatementParts(tree, false);
    parts.collect(Role.TOP);
    return parts;
  }

  // ---------------------------------------------------------------- what there is

  /** The statement. */
  public Statement tree() {
    return tree;
  }

  /** Its first token. */
  public int from() {
    return tree.span().from();
  }

  /** The token after it. */
  public int to() {
    return tree.span().to();
  }

  /** True if it is a SELECT that locks rows. */
  public boolean locks() {
    return locks;
  }

  /** True if it is a write inside the WITH of another statement. */
  public boolean isInner() {
    return isInner;
  }

  /** Every SELECT, and what a MERGE reads. */
  public List<Block> blocks() {
    return blocks;
  }

  /** Every table name. */
  public List<Source.Table> references() {
    return references;
  }

  /** Every common table. */
  public List<CommonTable> commonTables() {
    return commonTables;
  }

  /** Every WITH. */
  public List<With> withs() {
    return withs;
  }

  /** {@code TABLE t} in the place of a query. */
  public List<QueryBody.TableQuery> tableQueries() {
    return tableQueries;
  }

  /** PostgreSQL: the INSERT, UPDATE, DELETE and MERGE inside WITH. */
  public List<StatementParts> innerWrites() {
    return innerWrites;
  }

  /** True if it contains an expression that the grammar does not know. */
  public boolean hasOpaque() {
    return hasOpaque;
  }

  /** True if a top-level query joins blocks by more than UNION ALL. */
  public boolean deduplicates() {
    return deduplicates;
  }

  /** True if a top-level query is, or has branches that are, no SELECT: VALUES, TABLE. */
  public boolean hasOtherBranch() {
    return hasOtherBranch;
  }

  /** True if an INSERT's query has branches that are no SELECT: VALUES, TABLE. */
  public boolean hasOtherSource() {
    return hasOtherSource;
  }

  /** What an UPDATE or DELETE chooses its rows from. */
  public Optional<Block> written() {
    return written;
  }

  /** The sources of an UPDATE or DELETE. */
  public List<Source> sources() {
    return written.map(Block::sources).orElse(List.of());
  }

  /** The block whose columns the application sees, if it is alone. */
  public Optional<Block> top() {
    return top;
  }

  /** The blocks of a role. */
  public List<Block> blocks(Role role) {
    return blocks.stream().filter(block -> block.role() == role).toList();
  }

  /** The block that a query begins with; empty if it begins with something else. */
  public Optional<Block> firstBlock(Query query) {
    return query
        .first()
        .flatMap(
            select -> blocks.stream().filter(b -> b.start() == select.span().from()).findFirst());
  }

  /** The rows of a source, if they are those of a block under the names that it gives them. */
  public Optional<Block> blockOf(Source source) {
    return source instanceof Source.Derived derived && !derived.renamed()
        ? firstBlock(derived.query())
        : Optional.empty();
  }

  /** True if it has a common table of that name, somewhere. */
  public boolean declares(String folded) {
    return commonTables.stream().anyMatch(table -> isNamed(table, folded));
  }

  private static boolean isNamed(CommonTable table, String folded) {
    return Identifiers.fold(table.name()).equals(folded);
  }

  /** The body of a common table; empty if its columns are renamed, or the name is not unique. */
  public Optional<Statement> common(String folded) {
    List<CommonTable> named =
        commonTables.stream().filter(table -> isNamed(table, folded)).toList();
    return named.size() == 1 && !named.get(0).renamed()
        ? Optional.of(named.get(0).body())
        : Optional.empty();
  }

  /** The block that the body of such a common table begins with. */
  public Optional<Block> commonBlock(String folded) {
    return common(folded)
        .flatMap(
            body ->
                body instanceof Statement.Select select
                    ? firstBlock(select.query())
                    : Optional.empty());
  }

  /** The write that is the body of such a common table. */
  public Optional<StatementParts> commonWrite(String folded) {
    return common(folded)
        .flatMap(body -> innerWrites.stream().filter(write -> write.tree == body).findFirst());
  }

  // ---------------------------------------------------------------- how it is found

  private void collect(Role role) throws NotUnderstood {
    if (tree instanceof Statement.Select select) {
      query(select.query(), role, true);
      if (blocks.stream().anyMatch(b -> b.has(Clause.Kind.LOCK) && b.role() != Role.NESTED)) {
        locks = true;
      }
    } else if (tree instanceof Statement.Insert insert) {
      insert(insert);
    } else if (tree instanceof Statement.Merge merge) {
      for (Node part : merge.children()) {
        if (part == merge.using()) {
          blocks.add(Block.ofMerge(merge.using()));
        }
        node(part);
      }
    } else if (tree instanceof Statement.Opaque opaque) {
      throw notUnderstood(opaque.unsupported(), opaque.detail());
    } else {
      nodes(tree.children());
    }
  }

  private static NotUnderstood notUnderstood(boolean unsupported, String detail) {
    return new NotUnderstood(
        unsupported ? NotUnderstood.Reason.SHAPE : NotUnderstood.Reason.GRAMMAR, detail);
  }

  private void insert(Statement.Insert insert) throws NotUnderstood {
    for (Node part : insert.children()) {
      if (part instanceof Query query && insert.from() == Statement.RowsFrom.QUERY) {
        query(query, Role.SOURCE, true);
      } else {
        node(part);
      }
    }
  }

  private void query(Query query, Role role, boolean alone) throws NotUnderstood {
    if (query.with().isPresent()) {
      with(query.with().get());
    }
    if (!(query.body() instanceof QueryBody.SetOperation operation)) {
      term(query.body(), role, alone, query.span().to(), query.tail());
      return;
    }
    boolean isSeen = role == Role.TOP || role == Role.BRANCH;
    deduplicates |=
        isSeen && operation.operators().stream().anyMatch(word -> !word.equals("UNION ALL"));
    List<QueryBody> branches = operation.branches();
    QueryBody last = branches.get(branches.size() - 1);
    for (QueryBody branch : branches) {
      List<Clause> tail = branch == last ? query.tail() : List.of();
      int end = branch == last ? query.span().to() : branch.span().to();
      term(branch, inSetOperation(role), false, end, tail);
    }
  }

  private static Role inSetOperation(Role role) {
    return switch (role) {
      case TOP, BRANCH -> Role.BRANCH;
      case SOURCE -> Role.SOURCE;
      case EXISTS, NESTED -> Role.NESTED;
    };
  }

  /**
   * A branch of a query.
   *
   * @param tail what follows it
   */
  private void term(QueryBody body, Role role, boolean alone, int end, List<Clause> tail)
      throws NotUnderstood {
    if (body instanceof QueryBody.Select select) {
      Block block = Block.of(select, role, end, alone, cut > 0, tail);
      blocks.add(block);
      top = role == Role.TOP ? Optional.of(block) : top;
      nodes(select.children());
    } else if (body instanceof QueryBody.Nested nested) {
      int around = cut;
      cut += tail.isEmpty() ? 0 : 1;
      query(nested.query(), role == Role.TOP ? Role.BRANCH : role, alone);
      cut = around;
    } else if (body instanceof QueryBody.Opaque opaque) {
      throw notUnderstood(opaque.unsupported(), opaque.detail());
    } else {
      hasOtherSource |= role == Role.SOURCE;
      hasOtherBranch |= role == Role.TOP || role == Role.BRANCH;
      if (body instanceof QueryBody.TableQuery table) {
        tableQueries.add(table);
      }
      nodes(body.children());
    }
    nodes(tail);
  }

  private void with(With with) throws NotUnderstood {
    for (CommonTable table : with.tables()) {
      if (table.body() instanceof Statement.Select select) {
        query(select.query(), Role.NESTED, true);
      } else if (table.body() instanceof Statement.Opaque opaque) {
        throw notUnderstood(opaque.unsupported(), opaque.detail());
      } else {
        innerWrite(table.body());
      }
      commonTables.add(table);
    }
    withs.add(with);
  }

  private void innerWrite(Statement write) throws NotUnderstood {
    StatementParts inner = new StatementParts(write, true);
    inner.collect(Role.TOP);
    hasOpaque |= inner.hasOpaque;
    innerWrites.add(inner);
  }

  private void nodes(List<? extends Node> nodes) throws NotUnderstood {
    for (Node node : nodes) {
      node(node);
    }
  }

  private void node(Node node) throws NotUnderstood {
    hasOpaque |= node instanceof Expression.Opaque;
    if (node instanceof Source.Table table) {
      references.add(table);
    } else if (node instanceof Source.Derived derived) {
      query(derived.query(), Role.NESTED, true);
    } else if (node instanceof Expression.Subquery subquery) {
      query(subquery.query(), subquery.exists() ? Role.EXISTS : Role.NESTED, true);
    } else if (node instanceof With with) {
      with(with);
    } else {
      nodes(node.children());
    }
  }
}
