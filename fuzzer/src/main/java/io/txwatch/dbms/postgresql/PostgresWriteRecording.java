package io.txwatch.dbms.postgresql;

import io.txwatch.dbms.WriteRecording;
import java.util.ArrayList;
import java.util.List;

/** Records writes with triggers. */
final class PostgresWriteRecording extends WriteRecording {

  @Override
  public List<String> definitions(List<String> tables) {
    List<String> sql = new ArrayList<>();
    sql.add(
        """
        CREATE FUNCTION ap_version() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
        NEW.%s := COALESCE(NULLIF(current_setting('ap.step', true), '')::int, 0); RETURN NEW; \
        END $$\
        """
            .formatted(VERSION));
    sql.add(
        """
        CREATE FUNCTION ap_record() RETURNS trigger LANGUAGE plpgsql AS $$ \
        DECLARE step int := COALESCE(NULLIF(current_setting('ap.step', true), '')::int, 0); \
        BEGIN IF TG_OP = 'INSERT' THEN \
        INSERT INTO %1$s VALUES (step, TG_ARGV[0], NEW.%2$s, NULL, 0); \
        ELSIF TG_OP = 'UPDATE' THEN \
        INSERT INTO %1$s VALUES (step, TG_ARGV[0], NEW.%2$s, OLD.%3$s, 0); \
        ELSE INSERT INTO %1$s VALUES (step, TG_ARGV[0], OLD.%2$s, OLD.%3$s, 1); END IF; \
        RETURN NULL; END $$\
        """
            .formatted(LOG, ROW, VERSION));
    for (String table : tables) {
      sql.add(
          "ALTER TABLE %s ADD COLUMN %s UUID DEFAULT gen_random_uuid(), ADD COLUMN %s INT"
              .formatted(table, ROW, VERSION));
      sql.add(
          "CREATE TRIGGER ap_version BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION"
                  .formatted(table)
              + " ap_version()");
      sql.add(
          "CREATE TRIGGER ap_record AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE"
                  .formatted(table)
              + " FUNCTION ap_record('"
              + table
              + "')");
    }
    return sql;
  }

  @Override
  public String marker(int step) {
    return "SELECT set_config('ap.step', '" + step + "', false)";
  }

  @Override
  public boolean takesSnapshotAtFirstStatement() {
    return true;
  }

  @Override
  public List<String> log(boolean requiresPrimaryKey) {
    return List.of(logDefinition("UUID", ""));
  }

  @Override
  public boolean recordsForeignKeyActions() {
    return true;
  }
}
