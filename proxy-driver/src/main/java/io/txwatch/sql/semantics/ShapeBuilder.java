package io.txwatch.sql.semantics;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.semantics.SelectBlock.Role;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Expression.Subquery;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.MergeBranch;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.OnConflict;
import io.txwatch.sql.syntax.Query;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.sql.syntax.With;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The shape of a parsed statement: its blocks, tables and clauses by their tokens. */
public final class ShapeBuilder {

  private final Tokens tokens;
  private final Dialect dialect;
  private final StatementShape shape;

  private ShapeBuilder(Tokens tokens, Dialect dialect, Span span) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.shape = new StatementShape(span.from(), span.to());
  }

  /**
   * The shape of a statement.
   *
   * @throws NotUnderstood if it is something else, or not plain enough to vouch for
   */
  public static StatementShape of(Tokens tokens, Dialect dialect, Span span) throws NotUnderstood {
    ShapeBuilder builder = new ShapeBuilder(tokens, dialect, span);
    builder.statement(StatementParser.parse(tokens, dialect, span));
    return builder.shape;
  }

  /**
   * The shape of a query that stands in a statement of another kind.
   *
   * @throws NotUnderstood as {@link #of}
   */
  public static StatementShape ofQuery(Tokens tokens, Dialect dialect, Span span)
      throws NotUnderstood {
    ShapeBuilder builder = new ShapeBuilder(tokens, dialect, span);
    builder.shape.verb = span.from();
    builder.shape.kind = StatementKind.SELECT;
    builder.query(StatementParser.parseQuery(tokens, dialect, span), Role.NESTED, true);
    return builder.shape;
  }

  private void statement(Statement statement) throws NotUnderstood {
    if (statement instanceof Statement.Select select) {
      select(select);
    } else if (statement instanceof Statement.Insert insert) {
      insert(insert);
    } else if (statement instanceof Statement.Update update) {
      update(update);
    } else if (statement instanceof Statement.Delete delete) {
      delete(delete);
    } else if (statement instanceof Statement.Merge merge) {
      merge(merge);
    } else if (statement instanceof Statement.Opaque opaque) {
      throw notUnderstood(opaque.unsupported(), opaque.detail());
    }
  }

  private static NotUnderstood notUnderstood(boolean unsupported, String detail) {
    return new NotUnderstood(unsupported ? GapReason.SHAPE : GapReason.NOT_UNDERSTOOD, detail);
  }

  private void select(Statement.Select select) throws NotUnderstood {
    shape.kind = StatementKind.SELECT;
    shape.verb = select.query().with().map(with -> with.span().to()).orElse(shape.from);
    query(select.query(), Role.TOP, true);
    if (shape.blocks.stream().anyMatch(b -> b.locking && b.role != Role.NESTED)) {
      shape.kind = StatementKind.LOCKING_SELECT;
    }
  }

  private void query(Query query, Role role, boolean noBranch) throws NotUnderstood {
    if (query.with().isPresent()) {
      with(query.with().get());
    }
    QueryBody body = query.body();
    if (body instanceof QueryBody.SetOperation operation) {
      shape.setOperation |= role == Role.TOP || role == Role.SOURCE;
      boolean seen = role == Role.TOP || role == Role.BRANCH;
      shape.deduplicates |=
          seen && operation.operators().stream().anyMatch(word -> !word.equals("UNION ALL"));
      List<QueryBody> branches = operation.branches();
      QueryBody last = branches.get(branches.size() - 1);
      for (QueryBody branch : branches) {
        List<Clause> tail = branch == last ? query.tail() : List.of();
        int end = branch == last ? query.span().to() : branch.span().to();
        term(branch, inSetOperation(role), false, end, tail);
      }
    } else {
      term(body, role, noBranch, query.span().to(), query.tail());
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
      block(select, role, alone, end, tail);
      return;
    }
    if (body instanceof QueryBody.Nested nested) {
      int before = shape.blocks.size();
      query(nested.query(), role == Role.TOP ? Role.BRANCH : role, alone);
      if (!tail.isEmpty()) {
        shape.blocks.subList(before, shape.blocks.size()).forEach(b -> b.limited = true);
      }
    } else if (body instanceof QueryBody.TableQuery query) {
      otherTerm(role);
      shape.tableQueries.add(query.span().from());
      source(query.table());
    } else if (body instanceof QueryBody.Values values) {
      otherTerm(role);
      nested(values);
    } else if (body instanceof QueryBody.Opaque opaque) {
      throw notUnderstood(opaque.unsupported(), opaque.detail());
    }
    nested(tail);
  }

  private void otherTerm(Role role) {
    shape.otherSource |= role == Role.SOURCE;
    shape.otherBranch |= role == Role.TOP || role == Role.BRANCH;
  }

  private void block(QueryBody.Select select, Role role, boolean alone, int end, List<Clause> tail)
      throws NotUnderstood {
    SelectBlock block = new SelectBlock(role, select.span().from());
    block.alone = alone;
    block.end = end;
    block.distinct = select.distinct();
    block.limited = select.limited();
    block.listFrom = select.list().from();
    block.listTo = select.list().to();
    shape.blocks.add(block);
    nested(select.distinctOn());
    for (Item item : select.items()) {
      block.items++;
      block.itemStarts.add(item.span().from());
      if (item.value() instanceof Expression.Star star && item.alias().isEmpty()) {
        block.stars.add(
            new SelectBlock.Star(item.span().from(), item.span().to(), star.qualifier()));
      }
      nested(item);
    }
    List<Clause> clauses = new ArrayList<>(select.clauses());
    clauses.addAll(tail);
    for (Clause clause : clauses) {
      clause(block, clause);
      for (Source source : clause.sources()) {
        block.from.add(source);
        source(source);
      }
      nested(clause.expressions());
    }
  }

  private static void clause(SelectBlock block, Clause clause) {
    int from = clause.span().from();
    int to = clause.span().to();
    switch (clause.kind()) {
      case INTO -> block.into = from;
      case FROM -> {
        block.fromAt = from;
        block.fromEnd = to;
      }
      case WHERE -> {
        block.where = from;
        block.whereEnd = to;
      }
      case GROUP_BY -> block.groupBy = from;
      case HAVING -> block.having = from;
      case WINDOW -> block.window = from;
      case QUALIFY -> block.qualify = from;
      case ORDER_BY -> {
        block.orderBy = from;
        block.orderByEnd = to;
      }
      case LIMIT -> {
        block.limited = true;
        block.limit = block.limit < 0 ? from : block.limit;
        block.limitEnd = to;
      }
      case LOCK -> {
        block.locking = true;
        block.lockFrom = block.lockFrom < 0 ? from : block.lockFrom;
        block.lockEnd = to;
      }
      case USING, READ_ONLY -> {}
    }
  }

  private void with(With with) throws NotUnderstood {
    for (CommonTable table : with.tables()) {
      String name = Identifiers.fold(table.name());
      boolean twice = shape.cteBlocks.containsKey(name);
      boolean named = !table.renamed() && !twice;
      Optional<SelectBlock> block = Optional.empty();
      shape.cteWrites.remove(name);
      if (table.body() instanceof Statement.Select select) {
        query(select.query(), Role.NESTED, true);
        block = shape.firstBlock(select.query());
      } else if (table.body() instanceof Statement.Opaque opaque) {
        throw notUnderstood(opaque.unsupported(), opaque.detail());
      } else {
        StatementShape write = innerWrite(table.body());
        shape.innerWrites.add(write);
        if (named) {
          shape.cteWrites.put(name, write);
        }
      }
      Span body = table.body().span();
      shape.cteBodies.add(new StatementShape.Cte(name, body.from(), body.to()));
      shape.cteBlocks.put(name, named ? block : Optional.empty());
      shape.ctes.add(name);
    }
    shape.withs.put(with.span().from(), with.span().to());
  }

  private StatementShape innerWrite(Statement write) throws NotUnderstood {
    if (!dialect.grammar().has(Syntax.WRITES_IN_WITH)) {
      throw new NotUnderstood(GapReason.SHAPE, "a write inside WITH");
    }
    ShapeBuilder inner = new ShapeBuilder(tokens, dialect, write.span());
    inner.shape.inner = true;
    inner.shape.ctes.addAll(shape.ctes);
    inner.statement(write);
    shape.hasOpaque |= inner.shape.hasOpaque;
    return inner.shape;
  }

  private void source(Source source) throws NotUnderstood {
    if (source instanceof Source.Table table) {
      shape.tables.add(table);
    } else if (source instanceof Source.Derived derived) {
      query(derived.query(), Role.NESTED, true);
    } else {
      for (Node part : source.children()) {
        if (part instanceof Source inner) {
          source(inner);
        } else {
          nested(part);
        }
      }
    }
  }

  /** The queries within. */
  private void nested(List<? extends Node> nodes) throws NotUnderstood {
    for (Node node : nodes) {
      nested(node);
    }
  }

  private void nested(Node node) throws NotUnderstood {
    shape.hasOpaque |= node instanceof Expression.Opaque;
    if (node instanceof Subquery subquery) {
      query(subquery.query(), subquery.exists() ? Role.EXISTS : Role.NESTED, true);
    } else {
      nested(node.children());
    }
  }

  private void begin(StatementKind kind, int verb, Optional<With> with) throws NotUnderstood {
    if (with.isPresent()) {
      with(with.get());
    }
    shape.kind = kind;
    shape.verb = verb;
  }

  private void insert(Statement.Insert insert) throws NotUnderstood {
    begin(
        insert.replaces() ? StatementKind.REPLACE : StatementKind.INSERT,
        insert.verb(),
        insert.with());
    shape.target = insert.target();
    source(insert.target());
    shape.columns = insert.columns().map(Span::from).orElse(-1);
    shape.source = insert.content().from();
    shape.sourceEnd = insert.content().to();
    shape.sourceKind = insert.from();
    if (insert.from() == Statement.RowsFrom.QUERY) {
      query(insert.rows().orElseThrow(), Role.SOURCE, true);
    } else if (insert.rows().isPresent()) {
      QueryBody.Values values = (QueryBody.Values) insert.rows().get().body();
      for (Expression row : values.rows()) {
        int from = row.span().from();
        shape.rows.add(tokens.isOpen(from) ? from : from + 1);
      }
      nested(values);
    }
    nested(insert.assignments());
    shape.conflicts = insert.conflicts();
    shape.assignments =
        insert.conflicts().stream().flatMap(conflict -> conflict.updates().stream()).toList();
    for (OnConflict conflict : insert.conflicts()) {
      shape.onConflict = shape.onConflict < 0 ? conflict.span().from() : shape.onConflict;
      nested(conflict);
    }
    returning(insert.returning());
  }

  private void returning(Optional<Statement.Returning> returning) throws NotUnderstood {
    if (returning.isPresent()) {
      shape.returning = returning.get().span().from();
      nested(returning.get());
    }
  }

  private void update(Statement.Update update) throws NotUnderstood {
    begin(StatementKind.UPDATE, update.verb(), update.with());
    sources(update.sourcesAt(), update.sources());
    if (shape.sources.size() == 1 && shape.sources.get(0) instanceof Source.Table target) {
      shape.target = target;
    } else {
      shape.multiTable = true;
    }
    shape.set = update.set().from() - 1;
    shape.setEnd = update.set().to();
    shape.assignments = update.assignments();
    nested(update.assignments());
    clauses(update.clauses());
    returning(update.returning());
  }

  private void sources(Span at, List<Source> sources) throws NotUnderstood {
    shape.sourcesAt = at.from() - 1;
    shape.sourcesEnd = at.to();
    for (Source source : sources) {
      shape.sources.add(source.unwrapped());
      source(source);
    }
  }

  private void clauses(List<Clause> clauses) throws NotUnderstood {
    for (Clause clause : clauses) {
      int from = clause.span().from();
      int to = clause.span().to();
      switch (clause.kind()) {
        case FROM, USING -> {
          shape.moreAt = from;
          shape.moreEnd = to;
          for (Source source : clause.sources()) {
            shape.sources.add(source.unwrapped());
            source(source);
          }
        }
        case WHERE -> {
          shape.where = from;
          shape.whereEnd = to;
        }
        case ORDER_BY, LIMIT -> shape.limit = shape.limit < 0 ? from : shape.limit;
        default -> throw new NotUnderstood("an unexpected clause of a write");
      }
      nested(clause.expressions());
    }
  }

  private void delete(Statement.Delete delete) throws NotUnderstood {
    begin(StatementKind.DELETE, delete.verb(), delete.with());
    sources(delete.sourcesAt(), delete.sources());
    boolean using = delete.clauses().stream().anyMatch(c -> c.kind() == Clause.Kind.USING);
    if (!delete.from().isEmpty()) {
      shape.multiTable = true;
      delete.from().forEach(name -> shape.deletesFrom.add(name.last()));
    } else if (shape.sources.size() == 1
        && shape.sources.get(0) instanceof Source.Table target
        && (!using || dialect.grammar().has(Syntax.DELETE_USING))) {
      shape.target = target;
    } else {
      throw new NotUnderstood(GapReason.SHAPE, "DELETE from several tables");
    }
    clauses(delete.clauses());
    returning(delete.returning());
  }

  private void merge(Statement.Merge merge) throws NotUnderstood {
    begin(StatementKind.MERGE, merge.verb(), merge.with());
    shape.target = merge.target();
    source(merge.target());
    Span using = merge.using().span();
    SelectBlock source = new SelectBlock(Role.NESTED, using.from());
    source.fromAt = using.from();
    source.fromEnd = using.to();
    source.listFrom = using.from();
    source.listTo = using.from();
    source.end = using.to();
    shape.blocks.add(source);
    for (Source each : merge.using().sources()) {
      source.from.add(each);
      source(each);
    }
    nested(merge.on());
    shape.assignments =
        merge.branches().stream().flatMap(branch -> branch.updates().stream()).toList();
    for (MergeBranch branch : merge.branches()) {
      shape.whens.add(
          new StatementShape.When(branch.action(), branch.content().from(), branch.content().to()));
      nested(branch);
    }
    returning(merge.returning());
  }
}
