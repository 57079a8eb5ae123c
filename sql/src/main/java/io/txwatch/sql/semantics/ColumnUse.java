package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Query;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.With;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a statement reads and writes.
 *
 * <ul>
 *   <li>Read: every column that is named anywhere but as the target of an assignment, in subqueries
 *       too, except what a derived table or CTE selects and no query around it {@linkplain
 *       UnusedItems uses}; with a star, or a table's name in the place of a column, all of them.
 *   <li>Predicate: those that are read, except what stands only in the select list of the outermost
 *       query, in the assigned values, or in RETURNING.
 *   <li>Written: what an UPDATE assigns, and the columns that change with it. INSERT and DELETE
 *       write all columns.
 * </ul>
 *
 * <p>The columns of the key that identifies a row count as read, and as predicate, of each table
 * whose rows are chosen.
 *
 * <p>A name that nothing visible has stands for all columns of all tables that it could refer to.
 * Of a statement with a view, a source or a stretch that is not known, nothing is known.
 */
public final class ColumnUse {

  /** Names without parentheses that are no columns. */
  private static final Set<String> NO_COLUMNS =
      Set.of(
          "current_date",
          "current_time",
          "current_timestamp",
          "localtime",
          "localtimestamp",
          "current_user",
          "session_user",
          "current_role",
          "current_schema",
          "current_catalog",
          "sysdate",
          "utc_date",
          "utc_time",
          "utc_timestamp",
          "default",
          "all");

  /** Functions that may return what their first argument alone decides. */
  private static final Set<String> CHOICES =
      Set.of("coalesce", "ifnull", "nvl", "nvl2", "if", "iif", "decode");

  private static final Part NOTHING = () -> {};

  /** The clauses that can refer to items of the select list. */
  private static final Set<Clause.Kind> DECIDING =
      Set.of(Clause.Kind.GROUP_BY, Clause.Kind.HAVING, Clause.Kind.QUALIFY);

  /** A statement whose use of columns cannot be known. */
  private static final class UnknownUseException extends Exception {
    private static final long serialVersionUID = 1L;

    private UnknownUseException() {
      super(null, null, false, false);
    }
  }

  private final Schema schema;

  /** Those of each reference to a table, by the name that histories show. */
  private final Map<String, List<ColumnSets>> sets = new LinkedHashMap<>();

  /** Items of select lists whose columns are not read. */
  private final UnusedItems items;

  private ColumnUse(Schema schema, UnusedItems items) {
    this.schema = schema;
    this.items = items;
  }

  /**
   * The columns that a statement reads and writes.
   *
   * @return those of each table that it names; empty if that is not known
   */
  public static Optional<List<UsedColumns>> of(Statement statement, Schema schema) {
    ColumnUse use = new ColumnUse(schema, UnusedItems.of(statement));
    try {
      use.statement(statement);
    } catch (UnknownUseException e) {
      return Optional.empty();
    }
    return Optional.of(use.sets.values().stream().map(ColumnSets::ofTable).toList());
  }

  private void statement(Statement statement) throws UnknownUseException {
    if (statement instanceof Statement.Select select) {
      query(select.query(), null, true);
    } else if (statement instanceof Statement.Update update) {
      update(update);
    } else if (statement instanceof Statement.Delete delete) {
      delete(delete);
    } else if (statement instanceof Statement.Insert insert) {
      insert(insert);
    } else {
      throw new UnknownUseException();
    }
  }

  private void update(Statement.Update update) throws UnknownUseException {
    with(update.with());
    Scope scope = new Scope(null);
    for (Source source : update.sources()) {
      source(source, scope);
    }
    List<Scope.Named> targets = List.copyOf(scope.tables());
    clauses(update.clauses(), scope);
    for (Assignment assignment : update.assignments()) {
      for (Expression.Name target : assignment.targets()) {
        assign(target, targets);
      }
      expression(assignment.value(), scope, false);
    }
    returning(update.returning(), scope);
  }

  private static void assign(Expression.Name target, List<Scope.Named> targets) {
    String column = Identifiers.fold(target.last());
    int parts = target.parts().size();
    List<Scope.Named> owners =
        targets.stream()
            .filter(one -> one.sets().has(column))
            .filter(
                one ->
                    parts == 1
                        || one.exposed().equals(Identifiers.fold(target.parts().get(parts - 2))))
            .toList();
    owners.forEach(one -> one.sets().assign(column));
    if (owners.isEmpty()) {
      targets.forEach(one -> one.sets().writeAll());
    }
  }

  private void delete(Statement.Delete delete) throws UnknownUseException {
    with(delete.with());
    Scope scope = new Scope(null);
    for (Source source : delete.sources()) {
      source(source, scope);
    }
    scope.tables().forEach(one -> one.sets().writeAll());
    clauses(delete.clauses(), scope);
    returning(delete.returning(), scope);
  }

  private void insert(Statement.Insert insert) throws UnknownUseException {
    with(insert.with());
    Scope scope = new Scope(null);
    source(insert.target(), scope, insert.replaces() || !insert.conflicts().isEmpty());
    for (Scope.Named target : scope.tables()) {
      target.sets().writeAll();
      if (insert.replaces() || !insert.conflicts().isEmpty()) {
        target.sets().readAll(true);
      }
    }
    if (insert.rows().isPresent()) {
      query(insert.rows().get(), null, false);
    }
    for (Assignment assignment : insert.assignments()) {
      expression(assignment.value(), scope, true);
    }
    scope.addOther(Optional.of("excluded"));
    for (Node conflict : insert.conflicts()) {
      expressionsIn(conflict, scope, true);
    }
    returning(insert.returning(), scope);
  }

  private void returning(Optional<Statement.Returning> returning, Scope scope)
      throws UnknownUseException {
    if (returning.isPresent()) {
      for (Item item : returning.get().items()) {
        expression(item.value(), scope, false);
      }
    }
  }

  private void with(Optional<With> with) throws UnknownUseException {
    if (with.isEmpty()) {
      return;
    }
    for (CommonTable table : with.get().tables()) {
      if (!(table.body() instanceof Statement.Select select)) {
        throw new UnknownUseException();
      }
      query(select.query(), null, false);
    }
  }

  /**
   * A query.
   *
   * @param outermost true if its rows are the statement's result
   */
  private void query(Query query, @Nullable Scope outer, boolean outermost)
      throws UnknownUseException {
    with(query.with());
    body(query.body(), query.tail(), outer, outermost);
  }

  private void body(QueryBody body, List<Clause> tail, @Nullable Scope outer, boolean outermost)
      throws UnknownUseException {
    if (body instanceof QueryBody.Select select) {
      select(select, tail, outer, outermost && !listDecides(select, tail));
      return;
    }
    Scope scope = new Scope(outer);
    if (body instanceof QueryBody.SetOperation operation) {
      for (QueryBody branch : operation.branches()) {
        body(branch, List.of(), outer, false);
      }
      scope.addOther(Optional.empty());
    } else if (body instanceof QueryBody.Nested inner) {
      query(inner.query(), outer, outermost && tail.isEmpty());
      scope.addOther(Optional.empty());
    } else if (body instanceof QueryBody.TableQuery table) {
      source(table.table(), scope);
      scope.tables().forEach(one -> one.sets().readAll(true));
    } else if (body instanceof QueryBody.Values values) {
      for (Expression row : values.rows()) {
        expression(row, scope, true);
      }
    } else {
      throw new UnknownUseException();
    }
    clauses(tail, scope);
  }

  /** Whether the select list may decide which rows a query returns: what GROUP BY 1 refers to. */
  static boolean listDecides(QueryBody.Select select, List<Clause> tail) {
    return select.distinct()
        || select.limited()
        || select.clauses().stream().anyMatch(clause -> DECIDING.contains(clause.kind()))
        || tail.stream().anyMatch(clause -> clause.kind() == Clause.Kind.LIMIT);
  }

  private void select(
      QueryBody.Select select, List<Clause> tail, @Nullable Scope outer, boolean outermost)
      throws UnknownUseException {
    Scope scope = new Scope(outer);
    for (Source source : select.from()) {
      source(source, scope);
    }
    for (Item item : select.items()) {
      item.alias().ifPresent(scope::addAlias);
    }
    for (Item item : select.items()) {
      if (items.isDoubtful(item)) {
        oneOf(List.of(NOTHING, () -> expression(item.value(), scope, !outermost)));
      } else if (!items.isUnused(item)) {
        expression(item.value(), scope, !outermost);
      }
    }
    for (Expression expression : select.distinctOn()) {
      expression(expression, scope, true);
    }
    for (Clause clause : select.clauses()) {
      if (clause.kind() != Clause.Kind.FROM) {
        clauses(List.of(clause), scope);
      }
    }
    clauses(tail, scope);
  }

  private void clauses(List<Clause> clauses, Scope scope) throws UnknownUseException {
    for (Clause clause : clauses) {
      for (Source source : clause.sources()) {
        source(source, scope);
      }
    }
    for (Clause clause : clauses) {
      if (clause.kind() != Clause.Kind.LOCK) { // FOR UPDATE OF names tables
        for (Expression expression : clause.expressions()) {
          expression(expression, scope, true);
        }
      }
    }
  }

  private void source(Source source, Scope scope) throws UnknownUseException {
    source(source, scope, true);
  }

  /**
   * A source.
   *
   * @param isRead false for the target of an INSERT that looks up no rows
   */
  private void source(Source source, Scope scope, boolean isRead) throws UnknownUseException {
    if (source instanceof Source.Table table) {
      table(table, scope, isRead);
    } else if (source instanceof Source.Derived derived) {
      query(derived.query(), derived.lateral() ? scope : null, false);
      scope.addOther(derived.alias());
    } else if (source instanceof Source.Function function) {
      for (Expression argument : function.arguments()) {
        expression(argument, scope, true);
      }
      scope.addOther(function.alias());
    } else if (source instanceof Source.Nested nested) {
      source(nested.source(), scope);
    } else if (source instanceof Source.Join join) {
      join(join, scope);
    }
  }

  private void join(Source.Join join, Scope scope) throws UnknownUseException {
    int before = scope.tables().size();
    source(join.left(), scope);
    source(join.right(), scope);
    List<Scope.Named> joined = List.copyOf(scope.tables().subList(before, scope.tables().size()));
    if (join.natural() >= 0) {
      joined.forEach(one -> one.sets().readAll(true));
    }
    for (String name : join.using()) {
      String column = Identifiers.fold(name);
      joined.stream()
          .filter(one -> one.sets().has(column))
          .forEach(one -> one.sets().read(column, true));
    }
    for (Expression condition : join.conditions()) {
      expression(condition, scope, true);
    }
  }

  private void table(Source.Table table, Scope scope, boolean isRead) throws UnknownUseException {
    if (table.isCommon()) {
      scope.addOther(Optional.of(table.exposedName()));
      return;
    }
    Schema.Relation relation = schema.find(table.name()).orElseThrow(UnknownUseException::new);
    ColumnSets found = new ColumnSets(relation);
    sets.computeIfAbsent(relation.name(), name -> new ArrayList<>()).add(found);
    if (isRead) {
      found.chooseRows();
    }
    scope.add(table, found);
    if (table.columnAliases() > 0) {
      found.readAll(true);
      found.writeAll();
    }
  }

  private void expressionsIn(Node node, Scope scope, boolean byPredicate)
      throws UnknownUseException {
    for (Node child : node.children()) {
      if (child instanceof Expression expression) {
        expression(expression, scope, byPredicate);
      } else {
        expressionsIn(child, scope, byPredicate);
      }
    }
  }

  private void expression(Expression expression, Scope scope, boolean byPredicate)
      throws UnknownUseException {
    if (expression instanceof Expression.Name name) {
      name(name, scope, byPredicate);
    } else if (expression instanceof Expression.Star star) {
      star(star, scope, byPredicate);
    } else if (expression instanceof Expression.Subquery subquery) {
      subquery(subquery, scope);
    } else if (expression instanceof Expression.Opaque) {
      throw new UnknownUseException();
    } else if (expression instanceof Expression.Chain chain && isDisjunction(chain)) {
      List<Part> operands = new ArrayList<>();
      for (Expression operand : chain.operands()) {
        operands.add(() -> expression(operand, scope, byPredicate));
      }
      oneOf(operands);
    } else if (expression instanceof Expression.Case choice) {
      firstAlone(choice.parts(), scope, byPredicate);
    } else if (expression instanceof Expression.Call call && isChoice(call)) {
      firstAlone(call.parts(), scope, byPredicate);
    } else {
      Expression.Call call = expression instanceof Expression.Call one ? one : null;
      for (Node part : expression.children()) {
        if (part instanceof Expression inner && (call == null || !isKeyword(call, inner))) {
          expression(inner, scope, byPredicate);
        }
      }
    }
  }

  /** A part of a statement of which another part may decide whether its value counts. */
  private interface Part {
    void read() throws UnknownUseException;
  }

  /** Reads parts of which one alone may count: the result surely depends on what all read. */
  private void oneOf(List<Part> parts) throws UnknownUseException {
    List<ColumnSets> known = sets.values().stream().flatMap(List::stream).toList();
    List<ColumnSets.Sure> before = known.stream().map(ColumnSets::sure).toList();
    List<ColumnSets.Sure> common = null;
    for (Part part : parts) {
      part.read();
      List<ColumnSets.Sure> after = new ArrayList<>();
      for (int i = 0; i < known.size(); i++) {
        ColumnSets.Sure sure = known.get(i).sure();
        after.add(common == null ? sure : common.get(i).and(sure));
        known.get(i).sureIs(before.get(i));
      }
      common = after;
    }
    for (int i = 0; common != null && i < known.size(); i++) {
      known.get(i).sureIs(common.get(i));
    }
  }

  /** Reads expressions of which the first is surely evaluated. */
  private void firstAlone(List<? extends Node> parts, Scope scope, boolean byPredicate)
      throws UnknownUseException {
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i) instanceof Expression part) {
        Part reading = () -> expression(part, scope, byPredicate);
        oneOf(i == 0 ? List.of(reading) : List.of(NOTHING, reading));
      }
    }
  }

  /** Whether one of its operands alone may decide. */
  static boolean isDisjunction(Expression.Chain chain) {
    return chain.operators().stream().allMatch("OR"::equals);
  }

  /** Whether its first argument alone may decide. */
  static boolean isChoice(Expression.Call call) {
    return CHOICES.contains(Identifiers.fold(call.name().get(call.name().size() - 1)));
  }

  /** Whether a part of a call is no value: the star of COUNT(*), the field of EXTRACT. */
  private static boolean isKeyword(Expression.Call call, Expression part) {
    String function = Identifiers.fold(call.name().get(call.name().size() - 1));
    return part instanceof Expression.Star star
        ? function.equals("count") && star.qualifier().isEmpty()
        : function.equals("extract") && part == call.parts().get(0);
  }

  /** Of EXISTS (SELECT * …) the list does not matter. */
  private void subquery(Expression.Subquery subquery, Scope scope) throws UnknownUseException {
    Query query = subquery.query();
    boolean plain =
        subquery.exists()
            && query.body() instanceof QueryBody.Select select
            && select.items().size() == 1
            && select.items().get(0).value() instanceof Expression.Star;
    if (plain && query.body() instanceof QueryBody.Select select) {
      QueryBody.Select without =
          new QueryBody.Select(
              select.span(),
              select.distinct(),
              select.limited(),
              select.distinctOn(),
              select.list(),
              new ArrayList<>(),
              select.clauses());
      query(new Query(query.span(), query.with(), without, query.tail()), scope, false);
    } else {
      query(query, scope, false);
    }
  }

  private static void star(Expression.Star star, Scope scope, boolean byPredicate) {
    int parts = star.qualifier().size();
    Optional<List<Scope.Named>> named =
        parts == 0
            ? Optional.of(scope.tables())
            : scope.named(Identifiers.fold(star.qualifier().get(parts - 1)));
    named.orElseGet(scope::visible).forEach(one -> one.sets().readAll(byPredicate));
  }

  private static void name(Expression.Name name, Scope scope, boolean byPredicate) {
    String last = Identifiers.fold(name.last());
    int parts = name.parts().size();
    if (parts > 1) {
      qualified(Identifiers.fold(name.parts().get(parts - 2)), last, scope, byPredicate);
      return;
    }
    Optional<List<Scope.Named>> owners = scope.owners(last);
    Optional<List<Scope.Named>> rows = scope.named(last);
    if (owners.isPresent()) {
      owners.get().forEach(one -> one.sets().read(last, byPredicate));
    }
    if (rows.isPresent() && owners.orElse(List.of()).isEmpty()) { // a row as a value
      rows.get().forEach(one -> one.sets().readAll(byPredicate));
    }
    if (owners.isEmpty() && rows.isEmpty() && !NO_COLUMNS.contains(last)) {
      scope.visible().forEach(one -> one.sets().readAll(byPredicate));
    }
  }

  private static void qualified(String qualifier, String column, Scope scope, boolean byPredicate) {
    Optional<List<Scope.Named>> named = scope.named(qualifier);
    if (named.isEmpty()) {
      scope.visible().forEach(one -> one.sets().readAll(byPredicate));
      return;
    }
    for (Scope.Named one : named.get()) {
      if (one.sets().has(column)) {
        one.sets().read(column, byPredicate);
      } else { // a function of the row, or a column of the DBMS's own
        one.sets().readAll(byPredicate);
      }
    }
  }
}
