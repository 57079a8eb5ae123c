package org.example.shop.migrate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.example.shop.Schema;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.output.MigrateResult;
import org.flywaydb.core.api.output.ValidateResult;

/** Flyway, with scripts in SQL. */
final class FlywayMigration implements Migration {

  private final DataSource pool;
  private final FluentConfiguration configuration;

  FlywayMigration(DataSource pool, String url) {
    this.pool = pool;
    this.configuration =
        Flyway.configure()
            .dataSource(pool)
            .locations("classpath:db/flyway")
            .placeholders(Map.of("key", Schema.keyOf(url)));
  }

  private Flyway flyway(int release) {
    return configuration
        .target(release < MigratedShop.LAST_RELEASE ? release + "" : "latest")
        .load();
  }

  @Override
  public List<String> to(int release) {
    MigrateResult result = flyway(release).migrate();
    List<String> lines = new ArrayList<>();
    lines.add(
        String.join(
            " ",
            "from " + result.initialSchemaVersion,
            "to " + result.targetSchemaVersion,
            "executed " + result.migrationsExecuted,
            "success " + result.success,
            "warnings " + result.warnings));
    result.migrations.forEach(
        each -> lines.add(each.category + " " + each.version + " " + each.description));
    return lines;
  }

  @Override
  public List<String> status() {
    Flyway flyway = flyway(MigratedShop.LAST_RELEASE);
    ValidateResult validated = flyway.validateWithResult();
    return Stream.concat(
            Stream.of(
                "valid "
                    + validated.validationSuccessful
                    + " "
                    + validated.invalidMigrations.size()
                    + " "
                    + validated.getAllErrorMessages()),
            Stream.of(flyway.info().all()).map(FlywayMigration::line))
        .toList();
  }

  private static String line(MigrationInfo info) {
    return String.join(
        " ",
        String.valueOf(info.getVersion()),
        info.getDescription(),
        info.getState().getDisplayName(),
        String.valueOf(info.getChecksum()),
        String.valueOf(info.getInstalledRank()));
  }

  @Override
  public List<String> history() throws Exception {
    return MigratedShop.rows(
        pool,
        "SELECT * FROM " + MigratedShop.quoted(pool, "flyway_schema_history") + " ORDER BY 1",
        "installed_on|execution_time|installed_by");
  }
}
