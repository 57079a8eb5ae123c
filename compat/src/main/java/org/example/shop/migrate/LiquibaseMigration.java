package org.example.shop.migrate;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.changelog.ChangeSet;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.snapshot.DatabaseSnapshot;
import liquibase.snapshot.SnapshotControl;
import liquibase.snapshot.SnapshotGeneratorFactory;
import liquibase.structure.core.Column;
import liquibase.structure.core.Index;
import liquibase.ui.LoggerUIService;

/** Liquibase, with change sets in XML. */
final class LiquibaseMigration implements Migration {

  private static final Contexts CONTEXTS = new Contexts();
  private static final LabelExpression LABELS = new LabelExpression();

  private final DataSource pool;

  LiquibaseMigration(DataSource pool) {
    System.setProperty("liquibase.analytics.enabled", "false"); // sends nothing anywhere
    Logger.getLogger("liquibase").setLevel(Level.WARNING);
    this.pool = pool;
  }

  private interface Use {
    void accept(Liquibase liquibase, List<String> lines) throws Exception;
  }

  private List<String> with(Use use) throws Exception {
    List<String> lines = new ArrayList<>();
    try (Connection connection = pool.getConnection()) {
      Database database =
          DatabaseFactory.getInstance()
              .findCorrectDatabaseImplementation(new JdbcConnection(connection));
      Liquibase liquibase =
          new Liquibase("db/liquibase/changes.xml", new ClassLoaderResourceAccessor(), database);
      Scope.child(
          Map.of(Scope.Attr.ui.name(), new LoggerUIService()), () -> use.accept(liquibase, lines));
    }
    return lines;
  }

  @Override
  public List<String> to(int release) throws Exception {
    return with(
        (liquibase, lines) -> {
          lines.add("to do " + names(liquibase.listUnrunChangeSets(CONTEXTS, LABELS)));
          if (release < MigratedShop.LAST_RELEASE) {
            liquibase.update("release " + release, CONTEXTS, LABELS);
          } else {
            liquibase.update(CONTEXTS, LABELS);
          }
          lines.add("left " + names(liquibase.listUnrunChangeSets(CONTEXTS, LABELS)));
        });
  }

  private static List<String> names(List<ChangeSet> changes) {
    return changes.stream().map(ChangeSet::getId).toList();
  }

  @Override
  public List<String> status() throws Exception {
    return with(
        (liquibase, lines) -> {
          liquibase.validate();
          lines.add("valid");
          liquibase
              .getChangeSetStatuses(CONTEXTS, LABELS)
              .forEach(
                  each ->
                      lines.add(
                          each.getChangeSet().getId()
                              + " will run "
                              + each.getWillRun()
                              + " "
                              + each.getCurrentCheckSum()));
          lines.addAll(snapshot(liquibase.getDatabase()));
        });
  }

  /** The schema as the tool reads it. */
  private static List<String> snapshot(Database database) throws Exception {
    DatabaseSnapshot snapshot =
        SnapshotGeneratorFactory.getInstance()
            .createSnapshot(database.getDefaultSchema(), database, new SnapshotControl(database));
    List<String> lines = new ArrayList<>();
    for (Column column : Objects.requireNonNull(snapshot.get(Column.class))) {
      if (column.getRelation() != null) {
        lines.add(
            String.join(
                " ",
                column.getRelation().getName(),
                column.getName(),
                String.valueOf(column.getType()),
                String.valueOf(column.isNullable()),
                String.valueOf(column.getDefaultValue()),
                String.valueOf(column.isAutoIncrement()),
                String.valueOf(column.getOrder())));
      }
    }
    for (Index index : Objects.requireNonNull(snapshot.get(Index.class))) {
      lines.add("index of " + index.getRelation().getName() + " " + index.getColumnNames());
    }
    return lines.stream().map(line -> line.toLowerCase(Locale.ROOT)).sorted().toList();
  }

  @Override
  public List<String> history() throws Exception {
    List<String> lines =
        new ArrayList<>(
            MigratedShop.rows(
                pool,
                "SELECT * FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED",
                "DATEEXECUTED|DEPLOYMENT_ID"));
    lines.addAll(MigratedShop.rows(pool, "SELECT * FROM DATABASECHANGELOGLOCK", "none"));
    return lines;
  }
}
