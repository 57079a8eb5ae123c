package io.txwatch.oracle.aptrans;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.SqlText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a DBMS records writes. Each row gets a row id, and as its version the number of the step that
 * wrote it last, 0 for the initial rows. The session has the number of its current step in a
 * variable, which a marker statement sets.
 *
 * <p>MySQL, MariaDB and PostgreSQL log each write with triggers, as in the paper (Figure 4). A
 * trigger of H2 is a Java class that its driver would have to load, so on H2 each UPDATE assigns
 * the version, and each write is wrapped into a data change delta table, which returns the written
 * rows.
 */
enum RecordingDialect {
  MYSQL {
    @Override
    List<String> definitions(List<String> tables) {
      List<String> sql = new ArrayList<>();
      for (String table : tables) {
        sql.add(
            "ALTER TABLE %s ADD COLUMN %s BIGINT UNSIGNED INVISIBLE, ADD COLUMN %s INT INVISIBLE"
                .formatted(table, ROW, VERSION));
        sql.add(
            trigger("bi", "BEFORE INSERT", table)
                + "SET NEW.%s = UUID_SHORT(), NEW.%s = COALESCE(@ap_step, 0)"
                    .formatted(ROW, VERSION));
        sql.add(
            trigger("bu", "BEFORE UPDATE", table)
                + "SET NEW.%s = OLD.%s, NEW.%s = COALESCE(@ap_step, 0)"
                    .formatted(ROW, ROW, VERSION));
        sql.add(trigger("ai", "AFTER INSERT", table) + entry(table, "NEW", "NULL"));
        sql.add(trigger("au", "AFTER UPDATE", table) + entry(table, "NEW", "OLD." + VERSION));
        sql.add(trigger("ad", "AFTER DELETE", table) + entry(table, "OLD", "OLD." + VERSION));
      }
      return sql;
    }

    private String trigger(String name, String event, String table) {
      return "CREATE TRIGGER ap_%s_%s %s ON %s FOR EACH ROW ".formatted(name, table, event, table);
    }

    private String entry(String table, String row, String replaced) {
      // MySQL 9.7 has no default for an invisible column unless the columns are listed.
      return "INSERT INTO %s (step, tab, rid, replaced, deleted) VALUES (COALESCE(@ap_step, 0),"
          .concat(" '%s', %s.%s, %s, %d)")
          .formatted(LOG, table, row, ROW, replaced, row.equals("OLD") ? 1 : 0);
    }

    @Override
    String marker(int step) {
      return "SELECT " + step + " INTO @ap_step";
    }

    @Override
    boolean takesSnapshotAtFirstStatement() {
      return false;
    }
  },
  POSTGRESQL {
    @Override
    List<String> definitions(List<String> tables) {
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
    String marker(int step) {
      return "SELECT set_config('ap.step', '" + step + "', false)";
    }

    @Override
    boolean takesSnapshotAtFirstStatement() {
      return true;
    }
  },
  H2 {
    @Override
    List<String> definitions(List<String> tables) {
      List<String> sql = new ArrayList<>();
      for (String table : tables) {
        sql.add(
            "ALTER TABLE %s ADD COLUMN %s UUID INVISIBLE DEFAULT RANDOM_UUID()"
                .formatted(table, ROW));
        sql.add(
            "ALTER TABLE %s ADD COLUMN %s INT INVISIBLE DEFAULT COALESCE(@AP_STEP, 0)"
                .formatted(table, VERSION));
      }
      return sql;
    }

    @Override
    String marker(int step) {
      return "SELECT SET(@AP_STEP, " + step + ")";
    }

    @Override
    boolean takesSnapshotAtFirstStatement() {
      return true;
    }

    /** A column with ON UPDATE would keep its value if no other one changes. */
    @Override
    Optional<String> wrap(String write, WriteForm form, int step) {
      return switch (form) {
        case INSERT -> Optional.of("SELECT %s FROM FINAL TABLE (%s)".formatted(ROW, write));
        case UPDATE -> Optional.of(replaced(assigning(write, VERSION + " = " + step + ", ")));
        case DELETE -> Optional.of(replaced(write));
        case OTHER -> Optional.empty();
      };
    }

    private String assigning(String update, String assignment) {
      SqlText text = SqlText.of(update);
      return text.withBefore(text.assignments().subList(0, 1), assignment);
    }

    private String replaced(String write) {
      return "SELECT %s, %s FROM OLD TABLE (%s)".formatted(ROW, VERSION, write);
    }
  };

  /** The column with the id of a row. */
  static final String ROW = "ap_row";

  /** The column with the step that wrote a row last. */
  static final String VERSION = "ap_version";

  /** The table of the writes: step, table, row, replaced version, 1 if the row is deleted. */
  static final String LOG = "ap_log";

  private static final String HIDDEN_KEY =
      ", id BIGINT UNSIGNED DEFAULT (UUID_SHORT()) INVISIBLE PRIMARY KEY";

  /** The forms of writes that are recorded in different ways. */
  enum WriteForm {
    INSERT,
    UPDATE,
    DELETE,
    /** A form that changes rows in more than one way. */
    OTHER
  }

  /** The dialect of a DBMS; empty if its writes cannot be recorded. */
  static Optional<RecordingDialect> of(Database database) {
    return switch (database.product().name()) {
      case "MySQL", "MariaDB" -> Optional.of(MYSQL);
      case "PostgreSQL" -> Optional.of(POSTGRESQL);
      case "H2" -> Optional.of(H2);
      default -> Optional.empty();
    };
  }

  /** The statements that define the columns and triggers of tables. */
  abstract List<String> definitions(List<String> tables);

  /** The statement that stores the number of the session's next step. */
  abstract String marker(int step);

  /**
   * True if the first statement of a transaction takes its snapshot, false if the first plain query
   * of a table does.
   */
  abstract boolean takesSnapshotAtFirstStatement();

  /** The query that executes a write and returns the rows; empty if triggers log it. */
  Optional<String> wrap(String write, WriteForm form, int step) {
    return Optional.empty();
  }

  /** True if triggers log the writes into the table {@link #LOG}. */
  boolean hasLog() {
    return this != H2;
  }

  /**
   * True if a recorded write that fails changes nothing. H2 (2.5.252) keeps the rows that a failed
   * data change delta table has changed so far, and their index entries may be missing: a later
   * DELETE retries forever. So its tables are defined anew for each case.
   */
  boolean undoesFailedWrites() {
    return this != H2;
  }

  /** The definitions after the rows, for which tables are not used again. */
  List<String> definitionsAfterRows(List<String> tables) {
    return undoesFailedWrites()
        ? List.of()
        : List.of("COMMENT ON TABLE " + tables.get(0) + " IS 'recorded'");
  }

  /**
   * The definition of the log.
   *
   * @param key the definition of a key that statements do not see; may be empty
   */
  static String logDefinition(String rowType, String key) {
    return "CREATE TABLE "
        + LOG
        + " (step INT, tab VARCHAR(64), rid "
        + rowType
        + ", replaced INT, deleted INT"
        + key
        + ") {ENGINE}";
  }

  /**
   * The definition of the log on this DBMS; empty if it has none.
   *
   * @param requiresPrimaryKey true if the server rejects tables without a primary key
   */
  List<String> log(boolean requiresPrimaryKey) {
    return switch (this) {
      case MYSQL -> List.of(logDefinition("BIGINT UNSIGNED", requiresPrimaryKey ? HIDDEN_KEY : ""));
      case POSTGRESQL -> List.of(logDefinition("UUID", ""));
      case H2 -> List.of();
    };
  }

  /** True if plain reads of a transaction at this level see one snapshot. */
  boolean hasSnapshots(IsolationLevel level) {
    return switch (this) {
      case MYSQL -> level == IsolationLevel.REPEATABLE_READ;
      case POSTGRESQL, H2 -> level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0;
    };
  }
}
