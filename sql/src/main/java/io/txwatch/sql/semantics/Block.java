package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sources of rows with the clauses that choose among them, in their place in a statement: a SELECT,
 * or what an UPDATE, DELETE or MERGE reads, which its subqueries see as they see an outer query's.
 */
public final class Block {

  private final Role role;
  private final Span span;
  private final boolean distinct;
  private final boolean limited;
  private final boolean alone;
  private final Span list;
  private final List<Item> items;
  private final List<Clause> clauses;
  private final List<Clause> choosing;
  private final List<Source> sources;
  private final List<Source.Table> tables;
  private final List<Source> others;

  private Block(
      Role role,
      Span span,
      boolean distinct,
      boolean limited,
      boolean alone,
      Span list,
      List<Item> items,
      List<Clause> clauses) {
    this.role = role;
    this.span = span;
    this.distinct = distinct;
    this.limited = limited;
    this.alone = alone;
    this.list = list;
    this.items = items;
    this.clauses = clauses;
    this.choosing = new ArrayList<>(2);
    this.sources = new ArrayList<>();
    for (Clause clause : clauses) {
      boolean from = clause.kind() == Kind.FROM || clause.kind() == Kind.USING;
      if (from || clause.kind() == Kind.WHERE) {
        choosing.add(clause);
      }
      sources.addAll(from ? clause.sources() : List.of());
    }
    this.tables = new ArrayList<>(sources.size());
    this.others = new ArrayList<>(0);
    List<Source> leaves = new ArrayList<>(sources.size());
    sources.forEach(source -> source.addLeaves(leaves));
    for (Source leaf : leaves) {
      if (leaf instanceof Source.Table table) {
        tables.add(table);
      } else {
        others.add(leaf);
      }
    }
  }

  /** Where a block stands, which decides what may be done to its select list. */
  public enum Role {
    /** The only block of a top-level query: its columns are what the application sees. */
    TOP,
    /** A top-level query's block of which the columns are seen, but which is not alone. */
    BRANCH,
    /** The source of an INSERT, or a branch of it. */
    SOURCE,
    /** In EXISTS: its columns do not matter. */
    EXISTS,
    /** Anywhere else: its columns are an operand. */
    NESTED
  }

  static Block of(
      QueryBody.Select select, Role role, int end, boolean alone, boolean cut, List<Clause> tail) {
    List<Clause> clauses = new ArrayList<>(select.clauses());
    clauses.addAll(tail);
    return new Block(
        role,
        new Span(select.span().from(), end),
        select.distinct(),
        cut || select.limited() || Clause.first(clauses, Kind.LIMIT).isPresent(),
        alone,
        select.list(),
        select.items(),
        clauses);
  }

  /** What a MERGE reads besides its target. */
  static Block ofMerge(Clause using) {
    return without(using.span(), false, List.of(using));
  }

  /**
   * What an UPDATE or DELETE chooses its rows from.
   *
   * @param sourcesAt where the sources before SET, or behind DELETE FROM, stand
   */
  static Block ofWrite(Statement write, Span sourcesAt, List<Source> sources) {
    List<Clause> clauses = new ArrayList<>();
    Span at = new Span(sourcesAt.from() - 1, sourcesAt.to());
    clauses.add(new Clause(at, Kind.FROM, sources, List.of()));
    clauses.addAll(write.clauses());
    Span span = new Span(write.verb(), write.span().to());
    return without(span, write.tail().isPresent(), clauses);
  }

  /** One without a select list. */
  private static Block without(Span span, boolean limited, List<Clause> clauses) {
    Span list = new Span(span.from(), span.from());
    return new Block(Role.NESTED, span, false, limited, false, list, List.of(), clauses);
  }

  /** Where it stands. */
  public Role role() {
    return role;
  }

  /**
   * From its keyword to the end of what belongs to it: of the last branch of a query, the query's
   * ORDER BY and LIMIT, too.
   */
  public Span span() {
    return span;
  }

  /** Its first token. */
  public int start() {
    return span.from();
  }

  /** The token after it. */
  public int end() {
    return span.to();
  }

  /** True if equal rows are returned once. */
  public boolean distinct() {
    return distinct;
  }

  /** True if it returns only some of the rows that it finds. */
  public boolean limited() {
    return limited;
  }

  /** True if it is no branch of a set operation: what follows it is its own. */
  public boolean alone() {
    return alone;
  }

  /** Where the select list stands. */
  public Span list() {
    return list;
  }

  /** The select list. */
  public List<Item> items() {
    return items;
  }

  /** The stars that are items of the select list. */
  public List<Expression.Star> stars() {
    return Item.stars(items);
  }

  /** True if it has a clause of a kind. */
  public boolean has(Kind kind) {
    return clause(kind).isPresent();
  }

  /** The first clause of a kind. */
  public Optional<Clause> clause(Kind kind) {
    return Clause.first(clauses, kind);
  }

  /** Where the clauses of a kind stand: from the first to the last. */
  public Optional<Span> span(Kind kind) {
    int from = -1;
    int to = -1;
    for (Clause clause : clauses) {
      if (clause.kind() == kind) {
        from = from < 0 ? clause.span().from() : from;
        to = clause.span().to();
      }
    }
    return from < 0 ? Optional.empty() : Optional.of(new Span(from, to));
  }

  /** The clauses that state which rows it finds: FROM, USING, WHERE. */
  public List<Clause> choosing() {
    return choosing;
  }

  /** True if a token stands in FROM, USING or WHERE. */
  public boolean chooses(int token) {
    for (Clause clause : choosing) {
      if (clause.content().contains(token)) {
        return true;
      }
    }
    return false;
  }

  /** The sources in FROM and USING. */
  public List<Source> sources() {
    return sources;
  }

  /** The tables in FROM, left to right. */
  public List<Source.Table> tables() {
    return tables;
  }

  /** What else stands in FROM: queries and functions. */
  public List<Source> others() {
    return others;
  }
}
