package io.txwatch.rewrite;

import io.txwatch.history.Access;
import io.txwatch.history.RowCondition;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import io.txwatch.plan.ValuePlan;
import io.txwatch.plan.ValuePlan.Cast;
import io.txwatch.plan.ValuePlan.Place;
import io.txwatch.plan.ValuePlan.Read;
import io.txwatch.plan.ValuePlan.Selected;
import io.txwatch.plan.ValuePlan.Write;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.Aggregation;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a statement states itself of the rows that it reads and writes. In doubt it states
 * nothing. Pure: a function of the statement and the catalog.
 */
final class ValuePlanner {

  private static final String NOT_UNDERSTOOD = "not understood";

  private final AnalyzedStatement statement;
  private final Tokens tokens;
  private final Tables tables;
  private final int[] numbers;

  private ValuePlanner(AnalyzedStatement statement) {
    this.statement = statement;
    this.tokens = statement.tokens();
    this.tables = statement.tables();
    this.numbers = ParameterNumbers.of(tokens);
  }

  /**
   * The plan for a statement that is alone in its text. It names literals by their tokens, {@link
   * ValuePlan.Written}, so that it depends on the values of none.
   */
  static ValuePlan plan(AnalyzedStatement statement) {
    return new ValuePlanner(statement).plan();
  }

  private ValuePlan plan() {
    if (statement.tree() instanceof Statement.Select) {
      return query();
    }
    boolean readsOthers = !statement.parts().blocks().isEmpty();
    return new ValuePlan(
        List.of(),
        -1,
        readsOthers ? "a query in a write" : "",
        write(statement.tree()),
        Optional.empty());
  }

  // ---------------------------------------------------------------- queries

  private ValuePlan query() {
    Optional<Block> top = statement.parts().top();
    if (top.isEmpty()) {
      return ValuePlan.without("a set operation");
    }
    Block block = top.get();
    if (block.tables().isEmpty() && block.others().isEmpty()) {
      return ValuePlan.without(statement.parts().blocks().size() > 1 ? "a subquery" : "");
    }
    Optional<ValuePlan.Choice> choice = choice(block);
    Optional<String> obstacle = Aggregation.obstacle(statement, block);
    if (obstacle.isPresent()) {
      return new ValuePlan(List.of(), -1, obstacle.get(), Optional.empty(), choice);
    }
    String unread =
        !block.others().isEmpty() || statement.parts().blocks().size() > 1
            ? "a subquery"
            : statement.parts().hasOpaque() ? NOT_UNDERSTOOD : "";
    Selection selection = select(block);
    List<Read> reads = new ArrayList<>();
    for (Source.Table table : block.tables()) {
      Optional<Read> read = read(block, table, selection);
      read.ifPresent(reads::add);
      if (read.isEmpty() && unread.isEmpty()) {
        unread =
            tables.isUnknown(table)
                ? tables.display(table) + " is not a table that txwatch has found"
                : "the key of " + tables.display(table) + " is not in the result";
      }
    }
    return new ValuePlan(
        List.copyOf(reads),
        selection.usesCatalog ? selection.columns : -1,
        unread,
        Optional.empty(),
        choice);
  }

  // ---------------------------------------------------------------- conditions

  /** How a query chooses the rows of its table; empty unless it returns what it chooses. */
  private Optional<ValuePlan.Choice> choice(Block block) {
    boolean isPlain =
        block.others().isEmpty()
            && block.tables().size() == 1
            && block.alone()
            && !block.limited()
            && !block.has(Clause.Kind.HAVING)
            && !block.has(Clause.Kind.QUALIFY)
            && !block.has(Clause.Kind.INTO)
            && block.clause(Clause.Kind.LOCK).filter(this::skipsLocked).isEmpty()
            && statement.parts().blocks().size() == 1
            && !statement.parts().hasOpaque();
    if (!isPlain || !isAlone(block.tables().get(0), block)) {
      return Optional.empty();
    }
    Source.Table table = block.tables().get(0);
    boolean isKnown =
        !table.isCommon()
            && table.columnAliases() == 0
            && tables
                .find(table)
                .filter(Catalog.Table::hasDistinctNames)
                .filter(found -> found.status() != Catalog.Status.NOT_A_BASE_TABLE)
                .isPresent();
    if (!isKnown) {
      return Optional.empty();
    }
    ConditionReader reader =
        new ConditionReader(
            name -> owner(block, name) != null,
            this::compared,
            place -> !(place instanceof ValuePlan.Computed));
    RowCondition condition =
        block
            .clause(Clause.Kind.WHERE)
            .map(where -> reader.read(where.expressions().get(0)))
            .orElse(RowCondition.ALWAYS);
    return Optional.of(
        new ValuePlan.Choice(
            tables.display(table),
            condition,
            reader.constants(),
            used(block, table),
            isOneRow(block),
            isExact(condition)));
  }

  /**
   * The columns on which the result certainly depends in each row: those that it shows, row by row,
   * and those that it adds up.
   */
  private Set<String> used(Block block, Source.Table table) {
    Set<String> used = new TreeSet<>();
    boolean showsRows = !block.distinct() && !block.has(Clause.Kind.GROUP_BY);
    for (Item item : block.items()) {
      if (showsRows && item.value() instanceof Expression.Star) {
        tables.find(table).map(Catalog.Table::starColumns).orElse(List.of()).stream()
            .map(column -> column.toLowerCase(Locale.ROOT))
            .forEach(used::add);
      } else if (showsRows && item.value() instanceof Expression.Name name) {
        addColumn(block, name, used);
      } else if (item.value() instanceof Expression.Call call
          && !call.window()
          && !call.distinct()
          && call.name().size() == 1
          && ADDING.contains(call.name().get(0).toUpperCase(Locale.ROOT))
          && call.parts().size() == 1
          && call.parts().get(0) instanceof Expression.Name name) {
        addColumn(block, name, used);
      }
    }
    return Set.copyOf(used);
  }

  private void addColumn(Block block, Expression.Name name, Set<String> to) {
    if (owner(block, name) != null) {
      to.add(folded(name));
    }
  }

  private static final Set<String> ADDING = Set.of("SUM", "AVG");

  private static boolean isOneRow(Block block) {
    return !block.distinct()
        && !block.has(Clause.Kind.GROUP_BY)
        && block.items().stream()
            .anyMatch(
                item ->
                    item.value() instanceof Expression.Call call
                        && !call.window()
                        && call.name().size() == 1
                        && AGGREGATES.contains(call.name().get(0).toUpperCase(Locale.ROOT)));
  }

  private static final Set<String> AGGREGATES = Set.of("COUNT", "SUM", "MIN", "MAX", "AVG");

  private boolean skipsLocked(Clause lock) {
    for (int i = lock.span().from(); i < lock.span().to(); i++) {
      if (tokens.isWord(i, "SKIP")) {
        return true;
      }
    }
    return false;
  }

  /** True if FROM has a table's name and its alias, and nothing that chooses among its rows. */
  private static boolean isAlone(Source.Table table, Block block) {
    int name = 2 * table.name().size() - 1;
    int alias = table.alias().isPresent() ? 2 : 0; // with AS
    return block
        .clause(Clause.Kind.FROM)
        .filter(from -> from.sources().size() == 1 && from.sources().get(0) == table)
        .map(from -> from.content().to() - from.content().from())
        .filter(size -> size == name || alias > 0 && (size == name + 1 || size == name + alias))
        .isPresent();
  }

  private static boolean isExact(RowCondition condition) {
    if (condition instanceof RowCondition.And and) {
      return and.conditions().stream().allMatch(ValuePlanner::isExact);
    } else if (condition instanceof RowCondition.Or or) {
      return or.conditions().stream().allMatch(ValuePlanner::isExact);
    } else if (condition instanceof RowCondition.Not not) {
      return isExact(not.condition());
    }
    return !(condition instanceof RowCondition.Unknown);
  }

  /** The place of a constant that a column is compared with. */
  private Place compared(Expression expression) {
    Place place = value(expression);
    if (place != ValuePlan.COMPUTED) {
      return place;
    }
    Expression plain = expression.unwrapped();
    if (plain instanceof Expression.Operation operation
        && operation.operator().equals("-")
        && operation.operands().get(0) instanceof Expression.Literal literal) {
      return number(literal.span(), true);
    }
    return plain instanceof Expression.Literal ? number(plain.span(), false) : ValuePlan.COMPUTED;
  }

  private Place number(Span span, boolean isNegative) {
    Literals.Kind kind = Literals.kind(tokens, span.from());
    return span.to() == span.from() + 1
            && (kind == Literals.Kind.INTEGER || kind == Literals.Kind.DECIMAL)
        ? new ValuePlan.Written(span.from(), isNegative)
        : ValuePlan.COMPUTED;
  }

  /** The plain columns in a select list, by table's name in the statement and column. */
  private static final class Selection {
    final Map<List<String>, Integer> indexes = new HashMap<>();
    int columns;
    boolean usesCatalog;

    /** False from the first star on whose columns are not known. */
    boolean placesAreKnown = true;

    void add(String qualifier, String column) {
      columns++;
      if (placesAreKnown) {
        indexes.putIfAbsent(List.of(qualifier, column.toLowerCase(Locale.ROOT)), columns);
      }
    }
  }

  private Selection select(Block block) {
    Selection selection = new Selection();
    for (Item item : block.items()) {
      if (item.value() instanceof Expression.Star star) {
        addStar(block, star, selection);
      } else if (item.value() instanceof Expression.Name name) {
        String qualifier = owner(block, name);
        selection.add(qualifier == null ? "" : qualifier, qualifier == null ? "" : folded(name));
      } else {
        selection.columns++;
      }
    }
    return selection;
  }

  private void addStar(Block block, Expression.Star star, Selection selection) {
    selection.usesCatalog = true;
    String wanted =
        star.qualifier().isEmpty()
            ? ""
            : Identifiers.fold(star.qualifier().get(star.qualifier().size() - 1));
    boolean isPlain = block.sources().stream().noneMatch(ValuePlanner::mergesColumns);
    for (Source.Table table : block.tables()) {
      String name = Identifiers.fold(table.exposedName());
      if (!wanted.isEmpty() && !wanted.equals(name)) {
        continue;
      }
      List<String> columns = tables.find(table).map(Catalog.Table::starColumns).orElse(List.of());
      boolean isKnown =
          !columns.isEmpty() && table.columnAliases() == 0 && (isPlain || !wanted.isEmpty());
      selection.placesAreKnown &= isKnown;
      columns.forEach(column -> selection.add(name, column));
    }
    selection.placesAreKnown &= block.others().isEmpty() || !wanted.isEmpty();
  }

  /** True for a join after which a star shows a column of both sides once. */
  private static boolean mergesColumns(Source source) {
    if (source.unwrapped() instanceof Source.Join join) {
      return join.natural() >= 0
          || !join.using().isEmpty()
          || mergesColumns(join.left())
          || mergesColumns(join.right());
    }
    return false;
  }

  /** The name in the statement of the one table that a column is of; null if that is not sure. */
  private @Nullable String owner(Block block, Expression.Name name) {
    String column = folded(name);
    String qualifier =
        name.parts().size() < 2 ? "" : Identifiers.fold(name.parts().get(name.parts().size() - 2));
    String owner = null;
    for (Source.Table table : block.tables()) {
      String exposed = Identifiers.fold(table.exposedName());
      if (!qualifier.isEmpty()) {
        if (qualifier.equals(exposed)) {
          return owner == null && hasColumn(table, column) ? exposed : null;
        }
      } else if (tables.isUnknown(table) || table.isCommon() || table.columnAliases() > 0) {
        return null;
      } else if (hasColumn(table, column)) {
        if (owner != null) {
          return null;
        }
        owner = exposed;
      }
    }
    return block.others().isEmpty() ? owner : null;
  }

  private boolean hasColumn(Source.Table table, String folded) {
    return table.columnAliases() == 0
        && tables
            .find(table)
            .map(
                found ->
                    found.hasDistinctNames()
                        && found.starColumns().stream()
                            .anyMatch(c -> c.toLowerCase(Locale.ROOT).equals(folded)))
            .orElse(false);
  }

  private Optional<Read> read(Block block, Source.Table table, Selection selection) {
    Optional<Catalog.Table> found = tables.find(table);
    List<KeyColumn> key = key(table);
    if (found.isEmpty() || key.isEmpty()) {
      return Optional.empty();
    }
    String name = Identifiers.fold(table.exposedName());
    Map<String, Place> pinned = pinned(block.clause(Clause.Kind.WHERE), key, block, name);
    List<Place> places = new ArrayList<>();
    for (KeyColumn column : key) {
      Integer index = selection.indexes.get(List.of(name, column.name()));
      Place place = index == null ? pinned.get(column.name()) : new Selected(index);
      if (place == null) {
        return Optional.empty();
      }
      places.add(place);
    }
    List<String> columns = new ArrayList<>();
    List<Selected> selected = new ArrayList<>();
    for (String column : found.get().starColumns()) {
      Integer index = selection.indexes.get(List.of(name, column.toLowerCase(Locale.ROOT)));
      if (index != null) {
        columns.add(column);
        selected.add(new Selected(index));
      }
    }
    boolean isPinned = pinned.size() == key.size();
    return Optional.of(
        new Read(
            tables.display(table),
            key,
            List.copyOf(places),
            List.copyOf(columns),
            List.copyOf(selected),
            isPinned && block.tables().size() == 1));
  }

  /** The columns of a table's key; none if its rows cannot be identified. */
  private List<KeyColumn> key(Source.Table table) {
    return table.isCommon() || table.columnAliases() > 0
        ? List.of()
        : tables
            .find(table)
            .filter(Catalog.Table::hasDistinctNames)
            .filter(found -> found.status() != Catalog.Status.NOT_A_BASE_TABLE)
            .map(found -> found.traits().nameColumns())
            .orElse(List.of());
  }

  /** The columns of a key that a condition compares with constants, as the key compares them. */
  private Map<String, Place> pinned(
      Optional<Clause> where, List<KeyColumn> key, @Nullable Block block, String table) {
    Map<String, Place> pinned = new HashMap<>();
    for (PinnedColumns.Pinned pin :
        where.map(clause -> PinnedColumns.of(clause, tokens)).orElse(List.of())) {
      for (KeyColumn column : key) {
        boolean isOfTable = block == null || table.equals(owner(block, pin.column()));
        if (isOfTable && folded(pin.column()).equals(column.name())) {
          Place place = constant(pin, column);
          if (place != null) {
            pinned.putIfAbsent(column.name(), place);
          }
        }
      }
    }
    return pinned;
  }

  /** The constant that a token is, if a row whose key is equal to it has just that key. */
  private @Nullable Place constant(PinnedColumns.Pinned pin, KeyColumn column) {
    int token = pin.token();
    boolean isNumber = column.kind() == Kind.INTEGER || column.kind() == Kind.NUMBER;
    if (!isNumber && !column.comparesExactly()
        || pin.cast() == (isNumber ? Cast.TEXT : Cast.INTEGER)) {
      return null;
    }
    if (tokens.is(token, TokenKind.PARAMETER)) {
      return new ValuePlan.Parameter(numbers[token], pin.cast());
    }
    return Literals.kind(tokens, token) == (isNumber ? Literals.Kind.INTEGER : Literals.Kind.TEXT)
        ? new ValuePlan.Written(token, false)
        : null;
  }

  // ---------------------------------------------------------------- writes

  private Optional<Write> write(Statement tree) {
    Optional<Source.Table> written = tree.writtenTable();
    if (written.isEmpty()) {
      return Optional.empty();
    }
    Source.Table table = written.get();
    List<KeyColumn> key = key(table);
    if (tree instanceof Statement.Insert insert) {
      return Optional.of(insert(insert, table, key));
    }
    boolean isUpdate = tree instanceof Statement.Update;
    if (!isUpdate && !(tree instanceof Statement.Delete)) {
      return Optional.empty();
    }
    Access access = isUpdate ? Access.UPDATE : Access.DELETE;
    List<String> columns = new ArrayList<>();
    List<Place> values = new ArrayList<>();
    for (Assignment assignment : tree.updates()) {
      boolean isPlain = assignment.targets().size() == 1;
      for (Expression.Name target : assignment.targets()) {
        columns.add(stored(table, folded(target)));
        values.add(isPlain ? value(assignment.value()) : ValuePlan.COMPUTED);
      }
    }
    boolean joins =
        statement.parts().sources().size() != 1
            || tree.clauses().stream()
                .anyMatch(c -> c.kind() == Clause.Kind.FROM || c.kind() == Clause.Kind.USING);
    Map<String, Place> pinned = joins ? Map.of() : pinned(tree.where(), key, null, "");
    boolean isStated = !key.isEmpty() && pinned.size() == key.size();
    List<ValuePlan.Row> rows =
        isStated
            ? List.of(
                new ValuePlan.Row(
                    key.stream().map(column -> pinned.get(column.name())).toList(),
                    List.copyOf(values)))
            : List.of();
    if (isUpdate && !isStated && mayWriteMore(table)) {
      return Optional.empty();
    }
    return Optional.of(
        new Write(
            access,
            tables.display(table),
            key,
            List.copyOf(columns),
            columns.stream().map(column -> isUpdate ? kind(table, column) : Kind.OTHER).toList(),
            rows,
            isUpdate && isStated ? newKey(key, columns, values, rows.get(0)) : List.of(),
            isStated,
            false));
  }

  /**
   * Whether a trigger may write other rows of the table that it is on: then of a changed row that a
   * statement does not state it is not known who changed it.
   */
  private boolean mayWriteMore(Source.Table table) {
    return statement.sql().recordsTriggersOnTheirTable()
        && tables.find(table).filter(found -> found.traits().deletesAllMatches()).isEmpty();
  }

  /** The key of a row after an UPDATE; empty if that assigns no column of it. */
  private static List<Place> newKey(
      List<KeyColumn> key, List<String> columns, List<Place> values, ValuePlan.Row row) {
    List<Place> places = new ArrayList<>(row.key());
    boolean isAssigned = false;
    for (int i = 0; i < key.size(); i++) {
      for (int column = 0; column < columns.size(); column++) {
        if (columns.get(column).toLowerCase(Locale.ROOT).equals(key.get(i).name())) {
          places.set(i, values.get(column));
          isAssigned = true;
        }
      }
    }
    return isAssigned ? List.copyOf(places) : List.of();
  }

  private Write insert(Statement.Insert insert, Source.Table table, List<KeyColumn> key) {
    List<String> columns = insertedColumns(insert, table);
    List<ValuePlan.Row> rows = new ArrayList<>();
    boolean isPlain =
        !insert.replaces()
            && insert.conflicts().isEmpty()
            && !columns.isEmpty()
            && (!key.isEmpty() || recordsRowsWithoutKey(table));
    if (isPlain && insert.from() == Statement.RowsFrom.VALUES) {
      for (Expression.Tuple tuple : insert.tuples()) {
        if (tuple.items().size() == columns.size()) {
          rows.add(row(columns, tuple.items(), key));
        }
      }
    } else if (isPlain && insert.from() == Statement.RowsFrom.SET) {
      rows.add(row(columns, insert.assignments().stream().map(Assignment::value).toList(), key));
    }
    boolean complete =
        isPlain
            && !rows.isEmpty()
            && rows.stream().noneMatch(row -> row.key().contains(ValuePlan.COMPUTED))
            && (insert.from() == Statement.RowsFrom.SET || rows.size() == insert.tuples().size());
    return new Write(
        Access.INSERT,
        tables.display(table),
        key,
        columns,
        columns.stream().map(column -> Kind.OTHER).toList(), // a trigger may change them
        List.copyOf(rows),
        List.of(),
        complete,
        tokens.hasAnyWord(insert.verb() + 1, table.span().from(), "IGNORE", "OR"));
  }

  /**
   * Whether the record of changes surely shows each row of a table that is inserted, although no
   * key identifies it: an InnoDB table.
   */
  private boolean recordsRowsWithoutKey(Source.Table table) {
    return tables.find(table).filter(found -> found.traits().writtenAnewUnseen()).isPresent();
  }

  private static final Pattern INTEGER_TYPE =
      Pattern.compile("(tiny|small|medium|big)?int(eger)?\\b(?!\\(1\\)).*");

  /** Of which kind a value is that an UPDATE stores in a column just as it is given. */
  private Kind kind(Source.Table table, String column) {
    Catalog.Traits traits =
        tables.find(table).map(Catalog.Table::traits).orElse(Catalog.Traits.UNKNOWN);
    String name = column.toLowerCase(Locale.ROOT);
    String type = traits.types().getOrDefault(name, "");
    if (!tables.storeAsGiven() || traits.beforeUpdate() || traits.changing().contains(name)) {
      return Kind.OTHER;
    } else if (type.startsWith("varchar(") && type.endsWith(")")) {
      return Kind.TEXT;
    }
    return INTEGER_TYPE.matcher(type).matches() ? Kind.INTEGER : Kind.OTHER;
  }

  private ValuePlan.Row row(List<String> columns, List<Expression> given, List<KeyColumn> key) {
    List<Place> values = given.stream().map(this::value).toList();
    List<Place> keyPlaces = new ArrayList<>();
    for (KeyColumn column : key) {
      Place place = ValuePlan.COMPUTED;
      for (int i = 0; i < columns.size(); i++) {
        if (columns.get(i).toLowerCase(Locale.ROOT).equals(column.name())) {
          place = values.get(i);
        }
      }
      keyPlaces.add(place);
    }
    return new ValuePlan.Row(List.copyOf(keyPlaces), values);
  }

  /** The columns that an INSERT gives values to, as stored; empty if they are not known. */
  private List<String> insertedColumns(Statement.Insert insert, Source.Table table) {
    if (insert.from() == Statement.RowsFrom.SET) {
      return insert.assignments().stream()
          .map(assignment -> stored(table, folded(assignment.targets().get(0))))
          .toList();
    }
    if (insert.columns().isEmpty()) {
      return tables.find(table).map(Catalog.Table::columns).orElse(List.of());
    }
    Span list = insert.columns().get();
    List<String> columns = new ArrayList<>();
    for (int i = list.from() + 1; i < list.to() - 1; i += 2) {
      boolean isLast = i == list.to() - 2;
      if (!isLast && !tokens.text(i + 1).equals(",")) {
        return List.of(); // a qualified name, or more
      }
      columns.add(stored(table, Identifiers.fold(tokens.text(i))));
    }
    return List.copyOf(columns);
  }

  /** The place of a value that is stored as it is given; computed otherwise. */
  private Place value(Expression expression) {
    Expression whole = expression.unwrapped();
    Cast cast = CastConstants.of(whole, tokens);
    Expression plain = cast == Cast.NONE ? whole : CastConstants.inside(whole);
    Span span = plain.span();
    if (span.to() != span.from() + 1) {
      return ValuePlan.COMPUTED;
    }
    if (plain instanceof Expression.Parameter && tokens.is(span.from(), TokenKind.PARAMETER)) {
      return new ValuePlan.Parameter(numbers[span.from()], cast);
    }
    if (plain instanceof Expression.Literal) {
      Literals.Kind kind = Literals.kind(tokens, span.from());
      if ((kind == Literals.Kind.INTEGER && cast != Cast.TEXT)
          || (kind == Literals.Kind.TEXT && cast != Cast.INTEGER)) {
        return new ValuePlan.Written(span.from(), false);
      }
    }
    return ValuePlan.COMPUTED;
  }

  private String stored(Source.Table table, String folded) {
    return tables
        .find(table)
        .flatMap(
            found ->
                found.columns().stream()
                    .filter(column -> column.toLowerCase(Locale.ROOT).equals(folded))
                    .findFirst())
        .orElse(folded);
  }

  private static String folded(Expression.Name name) {
    return Identifiers.fold(name.last());
  }
}
