package io.txwatch.prepare;

import io.txwatch.catalog.AuxiliaryColumns;
import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.catalog.TableInfo.Kind;
import io.txwatch.catalog.UnsupportedDatabaseException;
import io.txwatch.history.Database;
import io.txwatch.prepare.PreparationPlan.Action;
import io.txwatch.prepare.TablePlan.Decision;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Adds the auxiliary columns to live tables, and removes them: planned first, then executed, all or
 * nothing for each table, twice the same as once.
 *
 * <pre>{@code
 * Preparation preparation = Products.preparation(connection, url, Duration.ofSeconds(2));
 * PreparationPlan plan = preparation.planPrepare(List.of());   // every table of the default schema
 * System.out.println(plan.describe());
 * PreparationResult result = preparation.execute(plan);
 * }</pre>
 *
 * <p>Planning changes nothing. A statement waits at most the given time for its locks: DDL that
 * waits longer would make everybody who comes after it wait too. A table that somebody else holds
 * is tried again for as long as {@link #retryingFor} states. Once it has its locks, H2 and MariaDB
 * rewrite the table while they hold them; MySQL changes the catalog alone, and the rows are filled
 * in batches. On PostgreSQL columns are only removed: earlier versions added them.
 *
 * <p>What was interrupted, at whatever point, is shown by the catalog: planned and executed again,
 * either way, it is completed or taken back.
 */
public final class Preparation {

  private static final Duration UNBOUNDED = Duration.ZERO;

  /** More are counted. */
  private static final int MAX_DEPENDENTS_NAMED = 10;

  private final Connection connection;
  private final Database database;
  private final PreparationDdl ddl;
  private final SchemaReader reader;
  private final RetryPolicy pace;
  private final boolean includesDependent;
  private final boolean analyzes;

  private Preparation(
      Connection connection,
      Database database,
      PreparationDdl ddl,
      RetryPolicy pace,
      boolean includesDependent,
      boolean analyzes) {
    this.connection = connection;
    this.database = database;
    this.ddl = ddl;
    this.reader = ddl.reader();
    this.pace = pace;
    this.includesDependent = includesDependent;
    this.analyzes = analyzes;
  }

  /**
   * For a connection that belongs to the caller alone, of a user who owns the tables. Its
   * autocommit is on, and its timeouts are changed.
   *
   * @param ddl the statements of this DBMS
   * @param lockTimeout how long a statement may wait for its locks; MariaDB, and MySQL for locks of
   *     rows, round it up to a second
   */
  public static Preparation on(
      Connection connection, Database database, PreparationDdl ddl, Duration lockTimeout)
      throws SQLException {
    connection.setAutoCommit(true);
    CatalogQueries.run(connection, ddl.reader().bounds(lockTimeout, UNBOUNDED));
    return new Preparation(connection, database, ddl, RetryPolicy.once(lockTimeout), false, false);
  }

  /**
   * The same, more patient.
   *
   * @param patience for how long a table that somebody else holds is tried again
   * @param progress takes lines for people while it works
   */
  public Preparation retryingFor(Duration patience, Consumer<String> progress) {
    return new Preparation(
        connection,
        database,
        ddl,
        new RetryPolicy(pace.lockWait(), patience, progress),
        includesDependent,
        analyzes);
  }

  /**
   * The same, with the tables that are else left alone because functions, triggers or the like
   * handle their rows as a whole: these will see the columns, and may fail or give something else.
   */
  public Preparation includingDependent() {
    return new Preparation(connection, database, ddl, pace, true, analyzes);
  }

  /**
   * The same, and at the end the optimizer's statistics are taken of the tables that were prepared:
   * a table that was rewritten has other ones than before.
   */
  public Preparation analyzing() {
    return new Preparation(connection, database, ddl, pace, includesDependent, true);
  }

  /** The DBMS. */
  public Database database() {
    return database;
  }

  /** True if tables of this DBMS can be prepared: not on PostgreSQL. */
  public boolean isPossible() {
    return ddl.refusal().isEmpty();
  }

  /**
   * What adding the columns takes.
   *
   * @param tables names as in SQL, maybe with their schema; empty for all of the default schema
   * @throws UnsupportedDatabaseException if tables of this DBMS are {@linkplain #isPossible not
   *     prepared}
   */
  public PreparationPlan planPrepare(List<String> tables) throws SQLException {
    Optional<String> refusal = ddl.refusal();
    if (refusal.isPresent()) {
      throw new UnsupportedDatabaseException(
          database.product().displayName() + " " + refusal.get());
    }
    return plan(Action.PREPARE, tables);
  }

  /**
   * What removing the columns takes.
   *
   * @param tables names as in SQL, maybe with their schema; empty for all of the default schema
   */
  public PreparationPlan planUnprepare(List<String> tables) throws SQLException {
    return plan(Action.UNPREPARE, tables);
  }

  private PreparationPlan plan(Action action, List<String> names) throws SQLException {
    List<String> missing = new ArrayList<>();
    List<TablePlan> plans = new ArrayList<>();
    List<TableInfo> infos = names.isEmpty() ? all() : named(names, missing);
    for (TableInfo table : infos) {
      plans.add(
          action == Action.PREPARE
              ? planPrepare(ddl, connection, table, includesDependent)
              : planUnprepare(ddl, connection, table));
    }
    return new PreparationPlan(
        action,
        database.product().displayName(),
        home().orElse(""),
        plans,
        missing,
        action == Action.PREPARE ? statistics(infos, plans) : cleanUp(infos),
        action == Action.PREPARE ? warnings(infos, plans) : List.of());
  }

  /** Also of tables that are prepared already: the rights may be missing still. */
  private List<String> warnings(List<TableInfo> tables, List<TablePlan> plans) throws SQLException {
    List<String> warnings = new ArrayList<>();
    for (int i = 0; i < plans.size(); i++) {
      if (plans.get(i).decision() != Decision.LEFT_ALONE) {
        warnings.addAll(ddl.warnings(connection, tables.get(i)));
      }
    }
    return warnings;
  }

  private List<String> statistics(List<TableInfo> tables, List<TablePlan> plans) {
    List<String> statements = new ArrayList<>();
    for (int i = 0; analyzes && i < plans.size(); i++) {
      if (plans.get(i).decision() == Decision.CHANGE) {
        statements.add(ddl.analyze(tables.get(i)));
      }
    }
    return statements;
  }

  /** In each schema the sequence goes when no table that stays prepared needs it. */
  private List<String> cleanUp(List<TableInfo> going) throws SQLException {
    Set<String> schemas = new LinkedHashSet<>();
    going.forEach(table -> schemas.add(table.schema()));
    if (schemas.isEmpty()) {
      home().ifPresent(schemas::add);
    }
    List<String> statements = new ArrayList<>();
    for (String schema : schemas) {
      List<String> leaving =
          going.stream().filter(t -> t.schema().equals(schema)).map(TableInfo::name).toList();
      boolean needed = false;
      for (TableInfo table : tables(schema)) {
        needed |= !leaving.contains(table.name()) && reader.isOurs(table);
      }
      if (!needed) {
        statements.addAll(ddl.cleanUp(connection, schema));
      }
    }
    return statements;
  }

  private Optional<String> home() throws SQLException {
    return reader.path(connection).stream()
        .filter(s -> !reader.sql().isInternalSchema(s))
        .findFirst();
  }

  private List<TableInfo> all() throws SQLException {
    Optional<String> schema = home();
    return schema.isEmpty() ? List.of() : tables(schema.get());
  }

  private List<TableInfo> tables(String schema) throws SQLException {
    List<TableInfo> tables = new ArrayList<>();
    for (String name : reader.names(connection, schema)) {
      reader.table(connection, schema, name).ifPresent(tables::add);
    }
    return tables;
  }

  private List<TableInfo> named(List<String> names, List<String> missing) throws SQLException {
    List<TableInfo> tables = new ArrayList<>();
    List<String> path = reader.path(connection);
    for (String name : names) {
      Optional<TableInfo> table = reader.find(connection, path, parts(name));
      table.ifPresentOrElse(tables::add, () -> missing.add(name));
    }
    return tables;
  }

  /** The parts of a name as users type it; a dot within quotes does not part. */
  static List<String> parts(String name) {
    return split(name.strip(), '.');
  }

  /** The names in a list separated by commas; a comma within quotes does not separate. */
  public static List<String> names(String list) {
    return split(list, ',').stream().map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    char end = 0;
    for (char c : text.toCharArray()) {
      if (end == 0 && c == separator) {
        parts.add(part.toString());
        part.setLength(0);
        continue;
      }
      if (end == 0 && (c == '"' || c == '`' || c == '[')) {
        end = c == '[' ? ']' : c;
      } else if (c == end) {
        end = 0;
      }
      part.append(c);
    }
    parts.add(part.toString());
    return parts;
  }

  /** As of tables that are prepared without a confirmation. */
  static TablePlan planPrepare(PreparationDdl ddl, Connection connection, TableInfo table)
      throws SQLException {
    return planPrepare(ddl, connection, table, false);
  }

  private static TablePlan planPrepare(
      PreparationDdl ddl, Connection connection, TableInfo table, boolean includesDependent)
      throws SQLException {
    if (table.kind() != Kind.TABLE) {
      return TablePlan.leftAlone(table, "it is " + table.kind().words());
    }
    if (ddl.reader().isPrepared(table)) {
      return TablePlan.nothingToDo(table);
    }
    if (table.hasAuxiliaryName() && !ddl.reader().isOurs(table)) {
      return TablePlan.leftAlone(
          table,
          "it has a column named "
              + AuxiliaryColumns.ROW_ID
              + " or "
              + AuxiliaryColumns.WRITERS
              + " that txwatch has not made");
    }
    Optional<String> obstacle = ddl.obstacle(connection, table);
    if (obstacle.isPresent()) {
      return TablePlan.leftAlone(table, obstacle.get());
    }
    if (!includesDependent) {
      List<String> dependents = ddl.dependents(connection, table);
      if (!dependents.isEmpty()) {
        return TablePlan.leftAlone(table, whole(dependents));
      }
    }
    return change(ddl, connection, table, ddl.prepare(connection, table));
  }

  private static String whole(List<String> dependents) {
    int more = dependents.size() - MAX_DEPENDENTS_NAMED;
    return "its rows are handled as a whole, and the columns would be seen, by "
        + String.join(
            ", ", dependents.subList(0, Math.min(dependents.size(), MAX_DEPENDENTS_NAMED)))
        + (more > 0 ? " and " + more + " more" : "")
        + " (txwatch prepare --include-dependent prepares it all the same)";
  }

  private static TablePlan planUnprepare(PreparationDdl ddl, Connection connection, TableInfo table)
      throws SQLException {
    if (table.kind() == Kind.TABLE && ddl.reader().isOurs(table)) {
      return change(ddl, connection, table, ddl.unprepare(connection, table));
    }
    return table.kind() == Kind.TABLE && table.hasAuxiliaryName()
        ? TablePlan.leftAlone(table, "its column is not one that txwatch has made")
        : TablePlan.nothingToDo(table);
  }

  private static TablePlan change(
      PreparationDdl ddl, Connection connection, TableInfo table, List<PreparationStep> steps)
      throws SQLException {
    long rows = ddl.rows(connection, table);
    return new TablePlan(
        table.schema(),
        table.name(),
        Decision.CHANGE,
        steps,
        ddl.lockNote(steps),
        rows,
        ddl.seconds(steps, rows));
  }

  /**
   * Executes a plan, table by table. A table that cannot be changed is in the result, with how it
   * was left; the others are done nevertheless, unless the connection is lost. Tables that somebody
   * else has changed since the plan was made are not changed twice.
   */
  public PreparationResult execute(PreparationPlan plan) throws SQLException {
    List<String> changed = new ArrayList<>();
    List<PreparationResult.Failure> failed = new ArrayList<>();
    boolean lost = false;
    for (TablePlan step : plan.tables()) {
      String name = plan.name(step);
      if (step.decision() != Decision.CHANGE) {
        continue;
      }
      if (lost) {
        failed.add(new PreparationResult.Failure(name, "not tried: the connection is lost"));
        continue;
      }
      TableState state = new TableState();
      try {
        if (executeWithRetries(plan.action(), step, name, state)) {
          changed.add(name);
        }
      } catch (SQLException e) {
        lost = !isUsable();
        failed.add(new PreparationResult.Failure(name, DdlErrors.describe(e), left(step, state)));
      }
    }
    if (!lost) {
      finish(plan, failed);
    }
    return new PreparationResult(List.copyOf(changed), List.copyOf(failed));
  }

  /** What is left to do at the end, which is not done for a table that could not be changed. */
  private void finish(PreparationPlan plan, List<PreparationResult.Failure> failed)
      throws SQLException {
    boolean preparing = plan.action() == Action.PREPARE;
    List<String> statements = new ArrayList<>();
    if (preparing || failed.isEmpty()) {
      statements.addAll(plan.atTheEnd());
    }
    if (preparing && !failed.isEmpty()) {
      Set<String> schemas = new LinkedHashSet<>();
      plan.tables().forEach(table -> schemas.add(table.schema()));
      for (String schema : schemas) {
        if (tables(schema).stream().noneMatch(reader::isOurs)) {
          statements.addAll(ddl.cleanUp(connection, schema));
        }
      }
    }
    for (String sql : statements) {
      try {
        CatalogQueries.run(connection, List.of(sql));
      } catch (SQLException e) {
        failed.add(
            new PreparationResult.Failure(
                sql,
                DdlErrors.describe(e),
                isUsable() ? PreparationResult.Left.NOT_DONE : PreparationResult.Left.UNKNOWN));
      }
    }
  }

  private boolean isUsable() {
    try {
      return connection.isValid(2);
    } catch (SQLException e) {
      return false;
    }
  }

  private PreparationResult.Left left(TablePlan step, TableState state) {
    try {
      Optional<TableInfo> now = reader.table(connection, step.schema(), step.table());
      return state.before.equals(now)
          ? PreparationResult.Left.AS_IT_WAS
          : PreparationResult.Left.PARTLY_DONE;
    } catch (SQLException e) {
      return PreparationResult.Left.UNKNOWN;
    }
  }

  /** A table as it was when it was first read for being changed. */
  private static final class TableState {
    private Optional<TableInfo> before = Optional.empty();
    private boolean read;

    private void note(Optional<TableInfo> table) {
      if (!read) {
        before = table;
        read = true;
      }
    }
  }

  private boolean executeWithRetries(
      Action action, TablePlan planned, String name, TableState state) throws SQLException {
    long deadline = System.nanoTime() + pace.patience().toNanos();
    for (int attempts = 1; ; attempts++) {
      try {
        return executeAsItIsNow(action, planned, state);
      } catch (SQLException e) {
        Duration pause = RetryPolicy.pause(attempts);
        boolean again = System.nanoTime() + pause.toNanos() < deadline;
        if (!DdlErrors.isLock(e) || !again) {
          throw e;
        }
        if (attempts == 1) {
          pace.progress()
              .accept(
                  name
                      + ": another transaction holds it; trying again for up to "
                      + pace.patience().toSeconds()
                      + " s");
        }
        if (!RetryPolicy.sleep(pause)) {
          throw e;
        }
      }
    }
  }

  private boolean executeAsItIsNow(Action action, TablePlan planned, TableState state)
      throws SQLException {
    Optional<TableInfo> table = reader.table(connection, planned.schema(), planned.table());
    state.note(table);
    if (table.isEmpty()) {
      throw new SQLException("it is gone");
    }
    TablePlan plan =
        action == Action.PREPARE
            ? planPrepare(ddl, connection, table.get(), includesDependent)
            : planUnprepare(ddl, connection, table.get());
    if (plan.decision() == Decision.LEFT_ALONE) {
      throw new SQLException(plan.note());
    }
    if (plan.decision() == Decision.CHANGE) {
      execute(ddl, connection, table.get(), plan, pace);
    }
    return plan.decision() == Decision.CHANGE;
  }

  /**
   * Carries out the steps for one table: in one transaction where DDL is part of one, else one by
   * one, each of which leaves a state that {@link #planPrepare} goes on from.
   */
  static void execute(
      PreparationDdl ddl, Connection connection, TableInfo table, TablePlan plan, RetryPolicy pace)
      throws SQLException {
    if (!ddl.ddlIsTransactional()) {
      for (PreparationStep step : plan.steps()) {
        ddl.apply(connection, table, step, pace);
      }
      return;
    }
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    try {
      for (PreparationStep step : plan.steps()) {
        ddl.apply(connection, table, step, pace);
      }
      connection.commit();
    } catch (SQLException e) {
      try {
        connection.rollback();
        connection.setAutoCommit(autoCommit);
      } catch (SQLException lost) {
        e.addSuppressed(lost); // the DBMS rolls back by itself
      }
      throw e;
    }
    connection.setAutoCommit(autoCommit);
  }
}
