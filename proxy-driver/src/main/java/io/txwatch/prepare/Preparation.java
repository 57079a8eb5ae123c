package io.txwatch.prepare;

import io.txwatch.history.Database;
import io.txwatch.prepare.PreparationPlan.Action;
import io.txwatch.prepare.TableInfo.Kind;
import io.txwatch.prepare.TablePlan.Decision;
import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Adds the auxiliary columns to live tables, and removes them: planned first, then executed, all or
 * nothing for each table, twice the same as once.
 *
 * <pre>{@code
 * Preparation preparation = Preparation.of(connection, url, Duration.ofSeconds(2));
 * PreparationPlan plan = preparation.planPrepare(List.of());   // every table of the default schema
 * System.out.println(plan.describe());
 * PreparationResult result = preparation.execute(plan);
 * }</pre>
 *
 * <p>Planning changes nothing. A statement waits at most the given time for its locks: DDL that
 * waits longer would make everybody who comes after it wait too. Once it has them, PostgreSQL, H2
 * and MariaDB rewrite the table while they hold them.
 */
public final class Preparation {

  private static final Duration UNBOUNDED = Duration.ZERO;

  private final Connection connection;
  private final Database database;
  private final SchemaReader reader;

  private Preparation(Connection connection, Database database, SchemaReader reader) {
    this.connection = connection;
    this.database = database;
    this.reader = reader;
  }

  /**
   * For a connection that belongs to the caller alone, of a user who owns the tables. Its
   * autocommit is on, and its timeouts are changed.
   *
   * @param url the connection's URL
   * @param lockTimeout how long a statement may wait for its locks; MySQL and MariaDB round it up
   *     to a second
   * @throws UnsupportedDatabaseException if this DBMS has no dialect of ours
   */
  public static Preparation of(Connection connection, String url, Duration lockTimeout)
      throws SQLException {
    DatabaseProbe probe = DatabaseProbe.of(connection, url);
    Dialect dialect =
        probe.dialect().orElseThrow(() -> new UnsupportedDatabaseException(probe.database()));
    SchemaReader reader = SchemaReaders.of(dialect, probe.database(), connection);
    connection.setAutoCommit(true);
    SchemaReader.run(connection, reader.bounds(lockTimeout, UNBOUNDED));
    return new Preparation(connection, probe.database(), reader);
  }

  /** The DBMS. */
  public Database database() {
    return database;
  }

  /**
   * What adding the columns takes.
   *
   * @param tables names as in SQL, maybe with their schema; empty for all of the default schema
   */
  public PreparationPlan planPrepare(List<String> tables) throws SQLException {
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
              ? planPrepare(reader, connection, table)
              : planUnprepare(reader, connection, table));
    }
    return new PreparationPlan(
        action, database.displayName(), plans, missing, cleanUp(action, infos));
  }

  /** The sequence goes when no table that stays prepared needs it. */
  private List<String> cleanUp(Action action, List<TableInfo> going) throws SQLException {
    Optional<String> schema = going.isEmpty() ? home() : Optional.of(going.get(0).schema());
    if (action == Action.PREPARE || schema.isEmpty()) {
      return List.of();
    }
    List<String> leaving = going.stream().map(TableInfo::name).toList();
    for (TableInfo table : tables(schema.get())) {
      if (!leaving.contains(table.name()) && reader.isPrepared(table)) {
        return List.of();
      }
    }
    return reader.cleanUp(connection, schema.get());
  }

  private Optional<String> home() throws SQLException {
    return reader.path(connection).stream().filter(s -> !SchemaReader.isInternal(s)).findFirst();
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
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    char quote = 0;
    for (char c : name.strip().toCharArray()) {
      if (quote == 0 && c == '.') {
        parts.add(part.toString());
        part.setLength(0);
        continue;
      }
      if (quote == 0 && (c == '"' || c == '`')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
      part.append(c);
    }
    parts.add(part.toString());
    return parts;
  }

  static TablePlan planPrepare(SchemaReader reader, Connection connection, TableInfo table)
      throws SQLException {
    if (table.kind() != Kind.TABLE) {
      return leftAlone(table, "it is " + table.kind().words());
    }
    if (reader.isPrepared(table)) {
      return new TablePlan(table.schema(), table.name(), Decision.NOTHING_TO_DO, List.of(), "");
    }
    if (table.hasAuxiliaryName() && !reader.isCopied(table)) {
      return leftAlone(
          table,
          "it has a column named "
              + AuxiliaryColumns.ROW_ID
              + " or "
              + AuxiliaryColumns.WRITERS
              + " that txwatch has not made");
    }
    Optional<String> obstacle = reader.obstacle(connection, table);
    if (obstacle.isPresent()) {
      return leftAlone(table, obstacle.get());
    }
    return new TablePlan(
        table.schema(),
        table.name(),
        Decision.CHANGE,
        reader.prepare(connection, table),
        reader.lockNote());
  }

  private static TablePlan planUnprepare(
      SchemaReader reader, Connection connection, TableInfo table) throws SQLException {
    if (table.kind() == Kind.TABLE && reader.isPrepared(table)) {
      return new TablePlan(
          table.schema(), table.name(), Decision.CHANGE, reader.unprepare(connection, table), "");
    }
    return table.kind() == Kind.TABLE && table.hasAuxiliaryName()
        ? leftAlone(table, "its column is not one that txwatch has made")
        : new TablePlan(table.schema(), table.name(), Decision.NOTHING_TO_DO, List.of(), "");
  }

  private static TablePlan leftAlone(TableInfo table, String why) {
    return new TablePlan(table.schema(), table.name(), Decision.LEFT_ALONE, List.of(), why);
  }

  /**
   * Executes a plan, table by table. A table that cannot be changed is left as it was and told in
   * the result; the others are done nevertheless. Tables that somebody else has changed since the
   * plan was made are not changed twice.
   */
  public PreparationResult execute(PreparationPlan plan) throws SQLException {
    List<String> changed = new ArrayList<>();
    List<PreparationResult.Failure> failed = new ArrayList<>();
    for (TablePlan step : plan.tables()) {
      if (step.decision() == Decision.CHANGE) {
        try {
          if (executeAsItIsNow(plan.action(), step)) {
            changed.add(step.table());
          }
        } catch (SQLException e) {
          failed.add(new PreparationResult.Failure(step.table(), Failures.describe(e)));
        }
      }
    }
    if (failed.isEmpty()) {
      try {
        SchemaReader.run(connection, plan.cleanUp());
      } catch (SQLException e) {
        failed.add(
            new PreparationResult.Failure(
                AuxiliaryColumns.SEQUENCE, "it stays: " + Failures.describe(e)));
      }
    }
    return new PreparationResult(List.copyOf(changed), List.copyOf(failed));
  }

  private boolean executeAsItIsNow(Action action, TablePlan planned) throws SQLException {
    Optional<TableInfo> table = reader.table(connection, planned.schema(), planned.table());
    if (table.isEmpty()) {
      throw new SQLException("it is gone");
    }
    TablePlan plan =
        action == Action.PREPARE
            ? planPrepare(reader, connection, table.get())
            : planUnprepare(reader, connection, table.get());
    if (plan.decision() == Decision.LEFT_ALONE) {
      throw new SQLException(plan.note());
    }
    if (plan.decision() == Decision.CHANGE) {
      execute(reader, connection, table.get(), plan);
    }
    return plan.decision() == Decision.CHANGE;
  }

  /**
   * Executes the statements for one table, all or nothing: in a transaction where DDL is part of
   * one, else by undoing what was done before the failure.
   */
  static void execute(SchemaReader reader, Connection connection, TableInfo table, TablePlan plan)
      throws SQLException {
    if (!reader.ddlIsTransactional()) {
      try {
        SchemaReader.run(connection, plan.statements());
      } catch (SQLException e) {
        if (!table.hasAuxiliaryName()) {
          undo(reader, connection, table, plan, e);
        }
        throw e;
      }
      return;
    }
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    try {
      SchemaReader.run(connection, plan.statements());
      reader.verify(connection, table);
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(autoCommit);
    }
  }

  private static void undo(
      SchemaReader reader,
      Connection connection,
      TableInfo table,
      TablePlan plan,
      SQLException failure) {
    try {
      Optional<TableInfo> now = reader.table(connection, table.schema(), table.name());
      if (now.isPresent()) {
        SchemaReader.run(connection, reader.undo(connection, now.get(), plan));
      }
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }
}
