package io.txwatch.prepare;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.SEQUENCE;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.text;
import static io.txwatch.catalog.PostgresQueries.query;

import io.txwatch.catalog.NameFolding;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.history.WriterList;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.PgCatalogNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PostgreSQL: two appended columns, the row id from a sequence of its schema. */
final class PostgresDdl extends PreparationDdl {

  PostgresDdl(SchemaReader reader) {
    super(reader);
  }

  @Override
  Optional<String> obstacle(Connection connection, TableInfo table) throws SQLException {
    List<String> owners =
        query(
            connection,
            "SELECT pg_get_userbyid(c.relowner)::text || ', this user is ' || current_user::text"
                + " FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ? AND NOT pg_has_role(c.relowner, 'USAGE')",
            row -> text(row, 1),
            table.schema(),
            table.name());
    if (!owners.isEmpty()) {
      return Optional.of("no rights: its owner is " + owners.get(0));
    }
    List<String> parents =
        query(
            connection,
            "SELECT p.relname FROM pg_catalog.pg_inherits i"
                + " JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " JOIN pg_catalog.pg_class p ON p.oid = i.inhparent"
                + " WHERE n.nspname = ? AND c.relname = ?",
            row -> text(row, 1),
            table.schema(),
            table.name());
    if (!parents.isEmpty()) {
      return Optional.of("it gets the columns from its parent " + parents.get(0));
    }
    List<String> kinds =
        query(
            connection,
            "WITH RECURSIVE family(oid) AS (SELECT ?::regclass::oid UNION SELECT"
                + " i.inhrelid FROM pg_catalog.pg_inherits i JOIN family f ON i.inhparent = f.oid)"
                + " SELECT CASE WHEN c.relkind = 'f' THEN 'its child ' || c.relname::text || ' is a"
                + " foreign table, whose server has no such columns' ELSE 'it is a table of type '"
                + " || c.reloftype::regtype::text END FROM pg_catalog.pg_class c JOIN family f ON f.oid = c.oid"
                + " WHERE c.relkind = 'f' OR c.reloftype <> 0",
            row -> text(row, 1),
            qualified(table));
    return kinds.stream().findFirst();
  }

  @Override
  List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    return PostgresDependents.of(connection, qualified(table));
  }

  @Override
  List<PreparationStep> prepare(Connection connection, TableInfo table) throws SQLException {
    List<PreparationStep> steps = new ArrayList<>();
    String sequence = sequence(table.schema());
    steps.add(
        PreparationStep.instant(
            PgCatalogNames.qualify("SELECT pg_advisory_xact_lock(hashtext('txwatch prepare'))")));
    if (!sequenceExists(connection, table.schema())) {
      steps.add(
          PreparationStep.instant(
              "CREATE SEQUENCE IF NOT EXISTS " + sequence + " AS bigint CACHE 100"));
      steps.add(PreparationStep.instant("GRANT USAGE ON SEQUENCE " + sequence + " TO PUBLIC"));
    }
    String name = qualified(table);
    String next = "pg_catalog.nextval('" + sequence.replace("'", "''") + "')";
    if (reader().isCopied(table)) {
      steps.add(
          PreparationStep.rewrite(
              "UPDATE " + name + " SET " + ROW_ID + " = " + next + ", " + WRITERS + " = ''"));
      steps.add(
          PreparationStep.instant(
              "ALTER TABLE "
                  + name
                  + (" ALTER " + ROW_ID + " SET DEFAULT " + next)
                  + (", ALTER " + WRITERS + " SET DEFAULT ''")));
      return steps;
    }
    // Nullable: a copy of the definition without the defaults (LIKE) must take rows all the same.
    steps.add(
        PreparationStep.rewrite(
            "ALTER TABLE "
                + name
                + (" ADD COLUMN " + ROW_ID + " bigint DEFAULT " + next)
                + (", ADD COLUMN " + WRITERS + " varchar(" + WriterList.WINDOW_LENGTH + ")")
                + " COLLATE pg_catalog.\"C\" DEFAULT ''"));
    String comment = "COMMENT ON COLUMN " + name + ".";
    steps.add(PreparationStep.instant(comment + ROW_ID + " IS 'txwatch: row id'"));
    steps.add(PreparationStep.instant(comment + WRITERS + " IS 'txwatch: newest writers'"));
    return steps;
  }

  @Override
  List<PreparationStep> unprepare(Connection connection, TableInfo table) {
    return List.of(
        PreparationStep.instant(
            "ALTER TABLE "
                + qualified(table)
                + (" DROP COLUMN " + ROW_ID + ", DROP COLUMN " + WRITERS)));
  }

  /** The planner's estimate, which knows the table's present size and its children. */
  @Override
  long rows(Connection connection, TableInfo table) throws SQLException {
    List<String> plan =
        query(connection, "EXPLAIN SELECT 1 FROM " + qualified(table), row -> text(row, 1));
    Matcher rows = Pattern.compile("\\brows=(\\d+)").matcher(plan.get(0));
    return rows.find() ? Long.parseLong(rows.group(1)) : 0;
  }

  @Override
  int rowsPerSecond(PreparationStep.Work work) {
    return 200_000;
  }

  @Override
  List<String> cleanUp(Connection connection, String schema) throws SQLException {
    return sequenceExists(connection, schema)
        ? List.of("DROP SEQUENCE " + sequence(schema))
        : List.of();
  }

  private static boolean sequenceExists(Connection connection, String schema) throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = ? AND c.relname = ? AND c.relkind = 'S'",
            row -> 1,
            schema,
            SEQUENCE)
        .isEmpty();
  }

  private static String sequence(String schema) {
    return NameFolding.quote(Dialect.POSTGRESQL, schema) + "." + SEQUENCE;
  }

  @Override
  String analyze(TableInfo table) {
    return "ANALYZE " + qualified(table);
  }

  @Override
  List<PreparationStep> lock(TableInfo table) {
    return List.of(
        PreparationStep.instant("LOCK TABLE " + qualified(table) + " IN ACCESS EXCLUSIVE MODE"));
  }

  /** To an older snapshot the rewritten table would be empty. */
  @Override
  boolean isInUse(Connection connection, TableInfo table) throws SQLException {
    return query(
            connection,
            "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                + " AND backend_type = 'client backend' AND backend_xmin IS NOT NULL"
                + " AND state ~ '^idle in transaction')",
            row -> row.getBoolean(1))
        .get(0);
  }

  @Override
  boolean ddlIsTransactional() {
    return true;
  }

  @Override
  String lockNote(List<PreparationStep> steps) {
    return steps.stream().anyMatch(step -> step.work() == PreparationStep.Work.REWRITE)
        ? "rewrite: the table is written anew under ACCESS EXCLUSIVE: nobody reads or writes it"
            + " meanwhile; its size is known to the planner afterwards, also where no statistics"
            + " were ever taken, so that plans can change, and with them what SERIALIZABLE locks"
            + " and how often it aborts: --analyze takes all statistics"
            + (reader().hasSystemVersions()
                ? "; not needed on PostgreSQL 14 and later, where txwatch reads system columns as"
                    + " long as no table is prepared; restart what is watched already"
                : "")
        : "instant: the catalog alone changes, under ACCESS EXCLUSIVE";
  }
}
