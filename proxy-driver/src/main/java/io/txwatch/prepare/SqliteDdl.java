package io.txwatch.prepare;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;

import io.txwatch.catalog.NameFolding;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.SqliteObject;
import io.txwatch.catalog.TableInfo;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * SQLite: two appended columns. ADD COLUMN takes no expression as a default, so the existing rows
 * are filled by an UPDATE (the table's triggers are dropped for it and created again, all in one
 * transaction) and the rewriter gives each new row its id.
 */
final class SqliteDdl extends PreparationDdl {

  /** A trigger's text up to its statements. */
  private static final Pattern BEFORE_BODY = Pattern.compile("(?is)^.*?\\bbegin\\b");

  private static final Pattern VIRTUAL = Pattern.compile("(?i)^\\s*create\\s+virtual\\b");

  /** A positive random number; {@code abs(random())} can overflow. */
  private static final String NEW_ROW_ID = "random() & 9223372036854775807";

  SqliteDdl(SchemaReader reader) {
    super(reader);
  }

  /**
   * Views are expanded anew whenever they are used, triggers read each time: what selects {@code *}
   * from the table, joins it by its common columns, asks for its rows with {@code IN} or inserts
   * into it without naming the columns would not work any more.
   */
  @Override
  Optional<String> obstacle(Connection connection, TableInfo table) throws SQLException {
    Pattern insertWithoutColumns =
        Pattern.compile(
            "(?i)\\binto\\s+(?:\\S+\\.)?[\"`\\[]?"
                + Pattern.quote(table.name())
                + "[\"`\\]]?\\s+(?:as\\s+\\S+\\s+)?(values|select|with)\\b");
    for (SqliteObject object : SqliteObject.all(connection, table.schema())) {
      String code =
          object.type().equals("trigger")
              ? BEFORE_BODY.matcher(object.sql()).replaceFirst("")
              : object.sql();
      if (!StoredCode.names(code, table.name())) {
        continue;
      }
      String name = "the " + object.type() + " " + object.name();
      if (object.type().equals("trigger") && insertWithoutColumns.matcher(code).find()) {
        return Optional.of(name + " inserts into it without naming the columns");
      }
      if (object.type().equals("table")) {
        if (VIRTUAL.matcher(object.sql()).find()) {
          return Optional.of("the virtual table " + object.name() + " has its columns from it");
        }
      } else if (StoredCode.hasStar(code)) {
        return Optional.of(name + " selects * and would show the columns");
      } else if (StoredCode.hasTableAfterIn(code, table.name())) {
        return Optional.of(name + " asks for its rows with IN");
      }
    }
    return Optional.empty();
  }

  @Override
  List<PreparationStep> prepare(Connection connection, TableInfo table) throws SQLException {
    String name = qualified(table);
    List<SqliteObject> triggers =
        SqliteObject.all(connection, table.schema()).stream()
            .filter(o -> o.type().equals("trigger") && o.table().equalsIgnoreCase(table.name()))
            .toList();
    List<PreparationStep> steps = new ArrayList<>();
    steps.add(
        PreparationStep.instant("ALTER TABLE " + name + " ADD COLUMN " + ROW_ID + " INTEGER"));
    steps.add(
        PreparationStep.instant(
            "ALTER TABLE " + name + " ADD COLUMN " + WRITERS + " TEXT NOT NULL DEFAULT ''"));
    for (SqliteObject trigger : triggers) {
      steps.add(
          PreparationStep.instant(
              "DROP TRIGGER "
                  + NameFolding.quote(reader().dialect(), table.schema())
                  + "."
                  + NameFolding.quote(reader().dialect(), trigger.name())));
    }
    steps.add(PreparationStep.rewrite("UPDATE " + name + " SET " + ROW_ID + " = " + NEW_ROW_ID));
    triggers.forEach(trigger -> steps.add(PreparationStep.instant(trigger.sql())));
    return steps;
  }

  @Override
  void verify(Connection connection, TableInfo table) throws SQLException {
    List<String> showing =
        query(
            connection,
            "SELECT DISTINCT v.name FROM pragma_table_list v, pragma_table_xinfo(v.name, v.schema)"
                + " c WHERE v.type = 'view' AND c.name IN (?, ?)",
            row -> text(row, 1),
            ROW_ID,
            WRITERS);
    if (!showing.isEmpty()) {
      throw new SQLException("the view " + showing.get(0) + " would show the columns");
    }
  }

  @Override
  List<PreparationStep> unprepare(Connection connection, TableInfo table) {
    return List.of(
        PreparationStep.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + ROW_ID),
        PreparationStep.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + WRITERS));
  }

  @Override
  long rows(Connection connection, TableInfo table) throws SQLException {
    return query(connection, "SELECT COUNT(*) FROM " + qualified(table), row -> row.getLong(1))
        .get(0);
  }

  @Override
  int rowsPerSecond(PreparationStep.Work work) {
    return 200_000;
  }

  @Override
  String analyze(TableInfo table) {
    return "ANALYZE " + qualified(table);
  }

  @Override
  boolean ddlIsTransactional() {
    return true;
  }

  @Override
  String lockNote(List<PreparationStep> steps) {
    return "rewrite: all rows are written in one transaction: nobody else writes the database"
        + " meanwhile";
  }
}
