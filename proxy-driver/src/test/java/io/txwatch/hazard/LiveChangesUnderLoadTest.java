package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txwatch.capture.Pipeline;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Watch;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Somebody else changes a table while ten threads work with it over a pool of ten connections. What
 * each statement gives afterwards is what it gives without txwatch. While the change happens, no
 * statement fails that would not fail without txwatch, except where an error aborts the
 * transaction: there one transaction of a connection may fail.
 *
 * <p>{@code -Dtxwatch.test.print=true} prints the outcomes, a line for each change. Each build runs
 * PostgreSQL alone, with one change of each kind; {@code
 * -Dtxwatch.test.dbms=postgresql,mysql,mariadb} runs all changes of these, on MySQL and MariaDB
 * with auxiliary columns.
 */
class LiveChangesUnderLoadTest {

  private static final int CLIENTS = 10;

  /** A batch of transactions that a client executes before and after the change, at least. */
  private static final int ROUNDS = Integer.getInteger("txwatch.test.rounds", 1);

  private static final int TRANSACTIONS_OF_A_ROUND = 8;

  private static final String[] TEXTS = {
    "SELECT * FROM live WHERE id = ?",
    "SELECT v FROM live WHERE id = ?",
    "UPDATE live SET v = 1 WHERE id = ?",
    "INSERT INTO live (v, id) VALUES (1, 100 + ?)",
    "DELETE FROM live WHERE id = 100 + ?",
  };

  /**
   * What each build runs: a change of what the table is, of its columns, of types, of its rows, of
   * what else a write does, of rights, of row security, of where the name leads, and of the
   * session. Of each kind it is the change that most of the others resemble.
   */
  private static final Set<String> OF_EACH_KIND =
      Set.of(
          "replaced by a view that has fewer columns",
          "a used column dropped",
          "a column renamed",
          "made anew with its rows",
          "another type",
          "emptied",
          "rules",
          "a trigger",
          "rights by column",
          "rights given back",
          "row security by policy",
          "another schema before it",
          "read-only");

  private static final @Nullable String DBMS = System.getProperty("txwatch.test.dbms");

  private static final String RIGHTS_BY_COLUMN = "rights by column";
  private static final String NO_TABLE = "42S02 1146";
  private static final String DEADLOCK = "40001 1213";

  /**
   * What is executed before the clients begin, and what somebody else executes while they work.
   *
   * @param own what each client executes on its own connection instead
   * @param between the error of the states between its statements, where each commits by itself
   * @param locksAll whether writes lock all rows, or the gap of all, afterwards, so that any two
   *     transactions can deadlock
   * @param keepsLocks whether {@code commit()} keeps the locks on the table before the change, so
   *     that a transaction of one statement can deadlock with it
   */
  private record Change(
      List<String> before,
      List<String> change,
      List<String> own,
      Set<String> between,
      boolean locksAll,
      boolean keepsLocks) {
    static Change of(String... change) {
      return new Change(List.of(), List.of(change), List.of(), Set.of(), false, false);
    }

    static Change ofOwn(String... own) {
      return new Change(List.of(), List.of(), List.of(own), Set.of(), false, false);
    }

    Change after(String... before) {
      return new Change(List.of(before), change, own, between, locksAll, keepsLocks);
    }

    Change between(String error) {
      return new Change(before, change, own, Set.of(error), locksAll, keepsLocks);
    }

    Change lockingAll() {
      return new Change(before, change, own, between, true, keepsLocks);
    }

    Change keepingLocks(boolean keepsLocks) {
      return new Change(before, change, own, between, locksAll, keepsLocks);
    }
  }

  private static Map<String, Change> of(ServerKind kind) {
    return kind == ServerKind.POSTGRESQL ? ofPostgres() : ofMySql(kind);
  }

  private static Map<String, Change> ofPostgres() {
    Map<String, Change> all = new LinkedHashMap<>();
    all.put(
        "replaced by a view that has fewer columns",
        Change.of(
            "ALTER TABLE live RENAME TO former",
            "CREATE VIEW live AS SELECT id, v FROM former",
            "GRANT ALL ON live TO %u"));
    all.put(
        "replaced by a view that cannot be written",
        Change.of(
            "ALTER TABLE live RENAME TO former",
            "CREATE VIEW live AS SELECT id, max(v) AS v, max(w) AS w FROM former GROUP BY id",
            "GRANT ALL ON live TO %u"));
    all.put("a column added", Change.of("ALTER TABLE live ADD COLUMN x INT DEFAULT 7"));
    all.put("a column dropped", Change.of("ALTER TABLE live DROP COLUMN w"));
    all.put("a used column dropped", Change.of("ALTER TABLE live DROP COLUMN v"));
    all.put(
        "a column renamed",
        Change.of(
            "ALTER TABLE live RENAME COLUMN v TO x", "ALTER TABLE live RENAME COLUMN w TO v"));
    all.put(
        "made anew without a key",
        Change.of(
            "DROP TABLE live",
            "CREATE TABLE live (w INT, v INT, id INT)",
            "GRANT ALL ON live TO %u"));
    all.put(
        "made anew with its rows",
        Change.of(
            "CREATE TABLE latter (id INT PRIMARY KEY, v INT, w INT)",
            "INSERT INTO latter SELECT id, v, w FROM live",
            "DROP TABLE live",
            "ALTER TABLE latter RENAME TO live",
            "GRANT ALL ON live TO %u"));
    all.put("emptied", Change.of("TRUNCATE TABLE live"));
    all.put(
        "replaced by a partitioned table",
        Change.of(
            "ALTER TABLE live RENAME TO former",
            "CREATE TABLE live (id INT PRIMARY KEY, v INT, w INT) PARTITION BY RANGE (id)",
            "CREATE TABLE part PARTITION OF live FOR VALUES FROM (0) TO (1000)",
            "INSERT INTO live SELECT * FROM former",
            "GRANT ALL ON live TO %u"));
    all.put("another type", Change.of("ALTER TABLE live ALTER COLUMN v TYPE NUMERIC(9,2)"));
    all.put("another type of the key", Change.of("ALTER TABLE live ALTER COLUMN id TYPE BIGINT"));
    all.put("the key dropped", Change.of("ALTER TABLE live DROP CONSTRAINT live_pkey"));
    all.put("an index dropped", Change.of("DROP INDEX i").after("CREATE INDEX i ON live (v)"));
    all.put(
        "rules",
        Change.of(
            "CREATE RULE r AS ON UPDATE TO live DO INSTEAD INSERT INTO notes VALUES (1)",
            "CREATE RULE s AS ON DELETE TO live DO ALSO INSERT INTO notes VALUES (2)"));
    all.put(
        "a rule that does nothing",
        Change.of("CREATE RULE r AS ON INSERT TO live DO INSTEAD NOTHING"));
    all.put(
        "a trigger",
        Change.of(
            "CREATE FUNCTION undone() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN RETURN NULL; END$$",
            "CREATE TRIGGER t BEFORE INSERT OR UPDATE ON live FOR EACH ROW"
                + " EXECUTE FUNCTION undone()"));
    all.put(
        RIGHTS_BY_COLUMN,
        Change.of("REVOKE ALL ON live FROM %u", "GRANT SELECT (id, v), UPDATE (v) ON live TO %u"));
    all.put("rights to insert", Change.of("REVOKE SELECT ON live FROM %u"));
    all.put(
        "rights given back",
        Change.of("GRANT SELECT ON live TO %u").after("REVOKE SELECT ON live FROM %u"));
    all.put("no rights to write", Change.of("REVOKE INSERT, UPDATE, DELETE ON live FROM %u"));
    all.put(
        "row security of the owner, too",
        Change.of(
            "ALTER TABLE live ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
            "CREATE POLICY p ON live FOR SELECT USING (v IS NOT NULL)"));
    all.put(
        "another policy",
        Change.of("ALTER POLICY p ON live USING (v < 6)")
            .after(
                "ALTER TABLE live ENABLE ROW LEVEL SECURITY",
                "CREATE POLICY p ON live USING (true)"));
    all.put(
        "row security by policy",
        Change.of(
            "ALTER TABLE live ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY p ON live USING (id < 3) WITH CHECK (v < 3)"));
    all.put(
        "another schema before it",
        Change.of("CREATE VIEW s.live AS SELECT * FROM public.live", "GRANT ALL ON s.live TO %u"));
    all.put(
        "rows of a child",
        Change.of("CREATE TABLE child () INHERITS (live)", "INSERT INTO child VALUES (1, 1, 1)"));
    all.put("written anew", Change.of("CLUSTER live USING live_pkey"));
    all.put("not logged", Change.of("ALTER TABLE live SET UNLOGGED"));
    all.put("read-only", Change.ofOwn("SET default_transaction_read_only = on"));
    return all;
  }

  private static Map<String, Change> ofMySql(ServerKind kind) {
    Map<String, Change> all = new LinkedHashMap<>();
    all.put(
        "replaced by a view that has fewer columns",
        Change.of(
                "ALTER TABLE live RENAME TO former", "CREATE VIEW live AS SELECT id, v FROM former")
            .between(NO_TABLE));
    all.put(
        "replaced by a view that cannot be written",
        Change.of(
                "ALTER TABLE live RENAME TO former",
                "CREATE VIEW live AS SELECT id, max(v) AS v, max(w) AS w FROM former GROUP BY id")
            .between(NO_TABLE));
    all.put(
        "swapped with a view",
        Change.of(
            "CREATE TABLE former LIKE live",
            "CREATE VIEW latter AS SELECT * FROM former",
            "RENAME TABLE former TO gone, live TO former, latter TO live"));
    all.put(
        "replaced by a view that checks",
        Change.of(
                "RENAME TABLE live TO former",
                "CREATE VIEW live AS SELECT * FROM former WHERE id < 6 WITH CHECK OPTION")
            .between(NO_TABLE));
    all.put(
        "replaced by a view that copies",
        Change.of(
                "RENAME TABLE live TO former",
                "CREATE ALGORITHM = TEMPTABLE VIEW live AS SELECT * FROM former")
            .between(NO_TABLE));
    all.put(
        "a view replaced by its table",
        Change.of("DROP VIEW live", "ALTER TABLE former RENAME TO live")
            .after("ALTER TABLE live RENAME TO former", "CREATE VIEW live AS SELECT * FROM former")
            .between(NO_TABLE));
    all.put("a column added", Change.of("ALTER TABLE live ADD COLUMN x INT DEFAULT 7"));
    all.put("a column added before", Change.of("ALTER TABLE live ADD COLUMN x INT FIRST"));
    all.put("a column dropped", Change.of("ALTER TABLE live DROP COLUMN w"));
    all.put("a used column dropped", Change.of("ALTER TABLE live DROP COLUMN v"));
    all.put(
        "a column renamed",
        Change.of("ALTER TABLE live RENAME COLUMN v TO x, RENAME COLUMN w TO v"));
    all.put("a column moved", Change.of("ALTER TABLE live MODIFY w INT FIRST"));
    all.put("a column hidden", Change.of("ALTER TABLE live MODIFY w INT INVISIBLE"));
    all.put("a column demanded", Change.of("ALTER TABLE live ADD COLUMN x INT NOT NULL"));
    all.put("another type", Change.of("ALTER TABLE live MODIFY v DECIMAL(9,2)"));
    all.put("another type of the key", Change.of("ALTER TABLE live MODIFY id BIGINT"));
    all.put("a key that counts", Change.of("ALTER TABLE live MODIFY id INT AUTO_INCREMENT"));
    all.put(
        "a generated column",
        Change.of("ALTER TABLE live DROP COLUMN v, ADD COLUMN v INT AS (id) STORED"));
    all.put(
        "a virtual column",
        Change.of("ALTER TABLE live DROP COLUMN v, ADD COLUMN v INT AS (id) VIRTUAL"));
    all.put(
        "made anew without a key",
        Change.of("DROP TABLE live", "CREATE TABLE live (w INT, v INT, id INT)")
            .between(NO_TABLE)
            .lockingAll());
    all.put(
        "made anew with its rows",
        Change.of(
            "CREATE TABLE latter (id INT PRIMARY KEY, v INT, w INT)",
            "INSERT INTO latter SELECT id, v, w FROM live WHERE id < 100",
            "RENAME TABLE live TO former, latter TO live"));
    all.put(
        "made anew with its rows and auxiliary columns",
        Change.of(
            "CREATE TABLE latter LIKE live",
            "INSERT INTO latter (id, v, w) SELECT id, v, w FROM live WHERE id < 100",
            "RENAME TABLE live TO former, latter TO live"));
    all.put(
        "swapped twice",
        Change.of(
                "RENAME TABLE live TO former, latter TO live",
                "RENAME TABLE live TO latter, former TO live")
            .after("CREATE TABLE latter (id INT PRIMARY KEY, v INT)"));
    all.put("no longer prepared", Change.of("ALTER TABLE live DROP txw_rid, DROP txw_wl"));
    all.put("without its writers", Change.of("ALTER TABLE live DROP txw_wl"));
    all.put("without its ids", Change.of("ALTER TABLE live DROP txw_rid"));
    all.put("emptied", Change.of("TRUNCATE TABLE live").lockingAll());
    all.put("partitioned", Change.of("ALTER TABLE live PARTITION BY HASH (id) PARTITIONS 3"));
    all.put(
        "a partition exchanged",
        Change.of(
                // MySQL exchanges none to which columns were added instantly: docs/changes.md
                "ALTER TABLE live FORCE",
                "ALTER TABLE latter FORCE",
                "ALTER TABLE live EXCHANGE PARTITION p WITH TABLE latter")
            .after(
                "CREATE TABLE latter LIKE live",
                "INSERT INTO latter VALUES (1, 7, 7), (2, 8, 8)",
                "ALTER TABLE live PARTITION BY RANGE (id)"
                    + " (PARTITION p VALUES LESS THAN (6), PARTITION q VALUES LESS THAN (1000))"));
    all.put("the key dropped", Change.of("ALTER TABLE live DROP PRIMARY KEY").lockingAll());
    all.put("another key", Change.of("ALTER TABLE live DROP PRIMARY KEY, ADD PRIMARY KEY (id, v)"));
    all.put("a key added", Change.of("ALTER TABLE live ADD UNIQUE (w)"));
    all.put(
        "an index dropped", Change.of("DROP INDEX i ON live").after("CREATE INDEX i ON live (v)"));
    all.put("a check", Change.of("ALTER TABLE live ADD CHECK (v < 11)"));
    all.put(
        "rows that refer to it",
        Change.of(
            "CREATE TABLE child (id INT, FOREIGN KEY (id) REFERENCES live (id))",
            "INSERT INTO child VALUES (1)"));
    all.put(
        "a trigger",
        Change.of("CREATE TRIGGER t BEFORE UPDATE ON live FOR EACH ROW SET NEW.w = 9"));
    all.put(
        "triggers that write elsewhere",
        Change.of(
            "CREATE TRIGGER t AFTER UPDATE ON live FOR EACH ROW INSERT INTO notes VALUES (1)",
            "CREATE TRIGGER s AFTER INSERT ON live FOR EACH ROW INSERT INTO notes VALUES (2)",
            "CREATE TRIGGER r BEFORE DELETE ON live FOR EACH ROW INSERT INTO notes VALUES (3)"));
    all.put(
        "a trigger that rejects",
        Change.of("CREATE TRIGGER t BEFORE INSERT ON live FOR EACH ROW SIGNAL SQLSTATE '45000'"));
    all.put(
        "a trigger dropped",
        Change.of("DROP TRIGGER t")
            .after("CREATE TRIGGER t BEFORE INSERT ON live FOR EACH ROW SET NEW.w = 9"));
    all.put(
        RIGHTS_BY_COLUMN,
        Change.of("REVOKE ALL ON live FROM %u", "GRANT SELECT (id, v), UPDATE (v) ON live TO %u")
            .between("42000 1142"));
    all.put("rights to insert", Change.of("REVOKE SELECT ON live FROM %u"));
    all.put(
        "rights given back",
        Change.of("GRANT SELECT ON live TO %u").after("REVOKE SELECT ON live FROM %u"));
    all.put("no rights to write", Change.of("REVOKE INSERT, UPDATE, DELETE ON live FROM %u"));
    all.put("no rights", Change.of("REVOKE ALL ON live FROM %u"));
    all.put("without transactions", Change.of("ALTER TABLE live ENGINE = MyISAM"));
    // MariaDB's driver sends no COMMIT for a table without transactions, so the transaction keeps
    // its locks on the table until the next one with autocommit. In 61 runs (2026-11-28, MariaDB
    // 10.11.5, driver 4.0.0) 1213 failed 15 transactions of one statement and 38 of all raw, 10 and
    // 58 watched, each during the change, and none with autocommit.
    all.put(
        "with transactions",
        Change.of("ALTER TABLE live ENGINE = InnoDB")
            .after("ALTER TABLE live ENGINE = MyISAM")
            .keepingLocks(kind == ServerKind.MARIADB));
    all.put("written anew", Change.of("ALTER TABLE live FORCE"));
    all.put("optimized", Change.of("OPTIMIZE TABLE live"));
    all.put("another row format", Change.of("ALTER TABLE live ROW_FORMAT = COMPACT"));
    for (String characters : List.of("latin1", "utf16", "utf8mb4 COLLATE utf8mb4_bin")) {
      all.put(
          "converted to " + characters.replaceAll(" .*_", " "),
          Change.of("ALTER TABLE live CONVERT TO CHARACTER SET " + characters));
    }
    if (kind == ServerKind.MARIADB) {
      all.put(
          "replaced at once",
          Change.of("CREATE OR REPLACE TABLE live (id INT PRIMARY KEY, v INT)").lockingAll());
      all.put("with its history", Change.of("ALTER TABLE live ADD SYSTEM VERSIONING"));
      all.put("in memory", Change.of("ALTER TABLE live ENGINE = MEMORY"));
      all.put("another engine", Change.of("ALTER TABLE live ENGINE = Aria"));
      all.put(
          "replaced by a sequence",
          Change.of("DROP TABLE live", "CREATE SEQUENCE live").between(NO_TABLE));
    } else {
      all.put("a hidden key", Change.of("ALTER TABLE live ALTER COLUMN id SET INVISIBLE"));
    }
    for (String own :
        List.of(
            "SESSION TRANSACTION READ ONLY",
            "SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "max_join_size = 1",
            "sql_select_limit = 1",
            "sql_safe_updates = 1",
            "sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'",
            "character_set_results = 'utf8mb3'")) {
      all.put(own, Change.ofOwn("SET " + own));
    }
    all.put(
        "a temporary table before it",
        Change.ofOwn("CREATE TEMPORARY TABLE IF NOT EXISTS live (id INT PRIMARY KEY, v INT)"));
    return all;
  }

  static Stream<ServerKind> kinds() {
    return Stream.of((DBMS == null ? "postgresql" : DBMS).split(","))
        .map(name -> ServerKind.valueOf(name.toUpperCase(Locale.ROOT)));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("53, 60 somebody changes a table while the clients of a pool use it")
  void outcomesAreThoseOfTheUnwatchedTwin(ServerKind kind) throws Exception {
    String rawUrl = TestServers.freshDatabase(kind);
    String watchedUrl = TestServers.freshDatabase(kind);
    String only = System.getProperty("txwatch.test.change", ".*");
    Map<String, Change> changes = of(kind);
    assertThat(changes.keySet())
        .containsAll(kind == ServerKind.POSTGRESQL ? OF_EACH_KIND : Set.of());
    if (DBMS == null) {
      changes.keySet().retainAll(OF_EACH_KIND);
    }
    List<String> differences = new ArrayList<>();
    for (Map.Entry<String, Change> change : changes.entrySet()) {
      if (!change.getKey().matches(only)) {
        continue;
      }
      Run raw;
      Run watched;
      try (Side side = new Side(kind, rawUrl, change.getValue(), false)) {
        raw = side.run();
      }
      try (Side side = new Side(kind, watchedUrl, change.getValue(), true)) {
        watched = side.run();
      }
      if (change.getKey().equals(RIGHTS_BY_COLUMN) && kind != ServerKind.POSTGRESQL) {
        raw = raw.withOneErrorOfAccess();
        watched = watched.withOneErrorOfAccess();
      }
      Comparison comparison =
          new Comparison(raw, watched, change.getValue(), kind == ServerKind.POSTGRESQL ? 1 : 0);
      if (Boolean.getBoolean("txwatch.test.print")) {
        System.err.println("| " + change.getKey() + " | " + comparison.row() + " |");
      }
      comparison
          .differences()
          .forEach(difference -> differences.add(change.getKey() + ": " + difference));
    }
    assertThat(differences).isEmpty();
  }

  /**
   * A transaction that was executed.
   *
   * @param failure the code of the error, or empty
   */
  private record Executed(
      Connection connection, String text, String failure, long began, long ended) {
    boolean failed() {
      return !failure.isEmpty();
    }

    Executed withFailure(String other) {
      return new Executed(connection, text, other, began, ended);
    }
  }

  /**
   * What the clients of one side executed.
   *
   * @param last what each transaction gave at the end, by client and text
   */
  private record Run(
      List<Executed> executed, Map<String, String> last, long changeBegan, long changeEnded) {

    /**
     * On MySQL and MariaDB, a prepared statement that is executed again after other rights were
     * granted may fail with another error of the two that deny access: docs/changes.md.
     */
    Run withOneErrorOfAccess() {
      Map<String, String> all = new TreeMap<>();
      last.forEach((where, outcome) -> all.put(where, outcome.replace("42000 1143", "42000 1142")));
      return new Run(
          executed.stream()
              .map(one -> one.withFailure(one.failure().replace("42000 1143", "42000 1142")))
              .toList(),
          all,
          changeBegan,
          changeEnded);
    }

    boolean isDuringChange(Executed one) {
      return one.began() <= changeEnded && one.ended() >= changeBegan;
    }

    Map<String, Set<String>> failuresByText() {
      Map<String, Set<String>> all = new TreeMap<>();
      executed.stream()
          .filter(Executed::failed)
          .forEach(
              one -> all.computeIfAbsent(one.text(), any -> new TreeSet<>()).add(one.failure()));
      return all;
    }

    /** The texts that fail at the end, on any connection, with the errors. */
    Map<String, Set<String>> lasting() {
      Map<String, Set<String>> all = new TreeMap<>();
      last.forEach(
          (where, outcome) -> {
            if (outcome.startsWith("failed")) {
              all.computeIfAbsent(where.replaceAll("^\\d+ ", ""), any -> new TreeSet<>())
                  .add(outcome.substring(7));
            }
          });
      return all;
    }

    long longestMillis() {
      return executed.stream()
          .mapToLong(one -> TimeUnit.NANOSECONDS.toMillis(one.ended() - one.began()))
          .max()
          .orElse(0);
    }
  }

  /**
   * @param tolerated how many transactions of a connection may fail because of an error that aborts
   */
  private record Comparison(Run raw, Run watched, Change change, int tolerated) {

    /** Those of the watched side that the raw side does not explain. */
    private List<Executed> unexplained() {
      Map<String, Set<String>> byText = raw.failuresByText();
      raw.lasting()
          .forEach((text, all) -> byText.computeIfAbsent(text, any -> new TreeSet<>()).addAll(all));
      Set<String> any = new TreeSet<>();
      byText.values().forEach(any::addAll);
      any.addAll(change.between());
      return watched.executed().stream()
          .filter(Executed::failed)
          .filter(one -> !byText.getOrDefault(one.text(), Set.of()).contains(one.failure()))
          .filter(one -> !(watched.isDuringChange(one) && any.contains(one.failure())))
          .filter(one -> !isDeadlockOfAny(one))
          .toList();
    }

    /**
     * True if it may have met the locks of other transactions: those of the change on the table, if
     * it reads before it writes or has the locks of those before it, or those on all rows.
     */
    private boolean isDeadlockOfAny(Executed one) {
      return one.failure().equals(DEADLOCK)
          && (one.text().endsWith("all")
              ? change.locksAll() || watched.isDuringChange(one)
              : change.keepsLocks()
                  && !one.text().contains("alone")
                  && watched.isDuringChange(one));
    }

    private static int mostOfAConnection(List<Executed> failed) {
      Map<Connection, Integer> counts = new IdentityHashMap<>();
      failed.forEach(one -> counts.merge(one.connection(), 1, Integer::sum));
      return counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /** Failures of transactions that do not fail at the end. */
    private static List<Executed> passing(Run run, Run raw) {
      Map<String, Set<String>> lasting = raw.lasting();
      return run.executed().stream()
          .filter(Executed::failed)
          .filter(one -> !lasting.getOrDefault(one.text(), Set.of()).contains(one.failure()))
          .toList();
    }

    List<String> differences() {
      List<String> differences = new ArrayList<>();
      raw.last()
          .forEach(
              (where, outcome) -> {
                String got = watched.last().get(where);
                if (!outcome.equals(got)) {
                  differences.add("at the end: " + where + ": " + outcome + " became " + got);
                }
              });
      List<Executed> unexplained = unexplained();
      if (mostOfAConnection(unexplained) > tolerated) {
        differences.add("failed: " + describe(unexplained));
      }
      List<Executed> alone =
          unexplained.stream().filter(one -> one.text().contains("alone")).toList();
      if (!alone.isEmpty()) {
        differences.add("failed by itself, where nothing aborts: " + describe(alone));
      }
      return differences;
    }

    private static String describe(List<Executed> failed) {
      Map<String, Integer> counts = new TreeMap<>();
      failed.forEach(one -> counts.merge(one.text() + " " + one.failure(), 1, Integer::sum));
      return counts.toString();
    }

    String row() {
      Set<String> lasting = new TreeSet<>();
      raw.lasting().values().forEach(lasting::addAll);
      List<Executed> rawPassing = passing(raw, raw);
      List<Executed> watchedPassing = passing(watched, raw);
      return String.join(
          " | ",
          raw.lasting().size() + " " + lasting,
          watched.lasting().size() + (raw.last().equals(watched.last()) ? " same" : " DIFFERENT"),
          rawPassing.size() + " / " + mostOfAConnection(rawPassing),
          watchedPassing.size() + " / " + mostOfAConnection(watchedPassing),
          unexplained().size() + " / " + mostOfAConnection(unexplained()),
          raw.executed().size() + " / " + watched.executed().size(),
          raw.longestMillis() + " / " + watched.longestMillis() + " ms",
          describe(unexplained()));
    }
  }

  /** A database with a pool of connections and the clients that use it. */
  private static final class Side implements AutoCloseable {
    private final ServerKind kind;
    private final String url;
    private final String user;
    private final Change change;
    private final boolean watched;
    private final HikariDataSource pool;
    private final List<Executed> executed = Collections.synchronizedList(new ArrayList<>());
    private final AtomicIntegerArray rounds = new AtomicIntegerArray(CLIENTS);
    private volatile boolean ended;
    private volatile List<String> own = List.of();

    Side(ServerKind kind, String url, Change change, boolean watched) throws SQLException {
      this.kind = kind;
      this.url = url;
      this.change = change;
      this.watched = watched;
      user = url.replaceAll(".*/([a-z0-9_]+)\\?.*", "$1");
      drop();
      List<String> setup = new ArrayList<>();
      setup.add("CREATE TABLE live (id INT PRIMARY KEY, v INT, w INT)");
      setup.add("CREATE TABLE notes (n INT)");
      setup.add(
          "INSERT INTO live VALUES "
              + String.join(
                  ", ",
                  Stream.iterate(1, i -> i <= CLIENTS, i -> i + 1)
                      .map(i -> "(" + i + ", " + i + ", " + i + ")")
                      .toList()));
      TestDatabase database = TestDatabase.at(kind, url, setup);
      execute("GRANT ALL ON live TO %u", "GRANT ALL ON notes TO %u");
      execute(change.before().toArray(String[]::new));
      boolean columns = kind != ServerKind.POSTGRESQL;
      if (watched && columns) {
        try (Connection preparing = database.raw()) {
          database.prepare(preparing);
        }
      }
      String used =
          url.replaceAll("user=[^&]*", "user=" + user)
              + (columns ? "&useServerPrepStmts=true" : "&prepareThreshold=2");
      Settings settings = Settings.of(columns ? Map.of(Setting.VERSIONS, "columns") : Map.of());
      Pipeline pipeline =
          new Pipeline(
              Ids.ofNode(1),
              new EventSink() {
                @Override
                public void accept(Event event) {}

                @Override
                public void close() {}
              });
      HikariConfig config = new HikariConfig();
      config.setMaximumPoolSize(CLIENTS);
      config.setDataSource(
          new OpeningDataSource(
              () -> {
                Connection raw = DriverManager.getConnection(used);
                return watched
                    ? Watch.connection(raw, used, "", database::raw, settings, pipeline)
                    : raw;
              }));
      pool = new HikariDataSource(config);
    }

    /** Removes what the change before has left. */
    private void drop() throws SQLException {
      if (kind != ServerKind.POSTGRESQL) {
        execute(
            "DROP USER IF EXISTS %u",
            "CREATE USER %u",
            "DROP DATABASE IF EXISTS %u",
            "CREATE DATABASE %u CHARACTER SET utf8mb4",
            "GRANT CREATE TEMPORARY TABLES ON %u.* TO %u");
        return;
      }
      execute(
          "DROP SCHEMA IF EXISTS s, public CASCADE",
          "DROP ROLE IF EXISTS %u",
          "CREATE SCHEMA public",
          "CREATE SCHEMA s",
          "GRANT USAGE ON SCHEMA public TO PUBLIC",
          "GRANT USAGE ON SCHEMA s TO PUBLIC",
          "CREATE ROLE %u LOGIN",
          "ALTER ROLE %u SET search_path = s, public");
    }

    private void execute(String... texts) throws SQLException {
      try (Connection connection = DriverManager.getConnection(url)) {
        for (String text : texts) {
          if (text.contains("txw_") && !watched) {
            continue; // the raw side has no auxiliary columns
          }
          try {
            TestDatabase.execute(connection, text.replace("%u", user));
          } catch (SQLException e) {
            if (!text.startsWith("DROP")) {
              throw new SQLException(text, e);
            }
          }
        }
      }
    }

    Run run() throws Exception {
      ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
      try {
        List<CompletableFuture<Map<String, String>>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          int client = i;
          clients.add(CompletableFuture.supplyAsync(() -> work(client), threads));
        }
        awaitRounds(clients);
        long began = System.nanoTime();
        if (kind == ServerKind.POSTGRESQL) {
          execute("BEGIN; " + String.join("; ", change.change()) + "; COMMIT");
        } else {
          execute(change.change().toArray(String[]::new));
        }
        own = change.own();
        long ended = System.nanoTime();
        awaitRounds(clients);
        this.ended = true;
        Map<String, String> last = new TreeMap<>();
        for (CompletableFuture<Map<String, String>> client : clients) {
          last.putAll(client.get(30, TimeUnit.SECONDS));
        }
        return new Run(List.copyOf(executed), last, began, ended);
      } finally {
        this.ended = true;
        threads.shutdownNow();
      }
    }

    /** Waits until each client has executed some more rounds. */
    private void awaitRounds(List<CompletableFuture<Map<String, String>>> clients)
        throws Exception {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      int[] until = IntStream.range(0, CLIENTS).map(i -> rounds.get(i) + ROUNDS + 1).toArray();
      for (int i = 0; i < CLIENTS; i++) {
        while (rounds.get(i) < until[i]) {
          for (CompletableFuture<Map<String, String>> client : clients) {
            if (client.isDone()) {
              client.get();
            }
          }
          assertThat(System.nanoTime()).as("a client hangs").isLessThan(deadline);
          Thread.sleep(1);
        }
      }
    }

    /** Works until the end, and then gives what each transaction gives. */
    private Map<String, String> work(int client) {
      Random random = new Random(client);
      Map<String, String> last = new TreeMap<>();
      try {
        while (!ended) {
          try (Connection connection = pool.getConnection()) {
            settle(connection);
            Client at = new Client(connection, client + 1);
            for (int i = 0; i < TRANSACTIONS_OF_A_ROUND && !ended && !at.evicted(); i++) {
              executed.add(at.execute(random.nextInt(Client.KINDS)));
            }
          }
          int done = rounds.incrementAndGet(client);
          while (!ended && done > slowest() + 1) {
            Thread.sleep(1);
          }
        }
        for (int i = 0; i < 2; i++) {
          for (int transaction = 0; transaction < Client.KINDS; ) {
            try (Connection connection = pool.getConnection()) {
              settle(connection);
              Client at = new Client(connection, client + 1);
              for (; transaction < Client.KINDS && !at.evicted(); transaction++) {
                do {
                  executed.add(at.execute(transaction));
                } while (at.outcome.equals("failed " + DEADLOCK));
                last.put((client + 1) + " " + Client.text(transaction), at.outcome);
              }
            }
          }
        }
      } catch (SQLException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return last;
    }

    private int slowest() {
      return IntStream.range(0, CLIENTS).map(rounds::get).min().orElse(0);
    }

    private void settle(Connection connection) throws SQLException {
      for (String text : own) {
        TestDatabase.execute(connection, text);
      }
    }

    @Override
    public void close() {
      pool.close();
    }
  }

  /** A client with rows of its own, for as long as it has a connection. */
  private static final class Client {
    /** Each text alone, prepared or not, by itself or in a transaction; and all together. */
    static final int KINDS = TEXTS.length * 4 + 2;

    private final Connection connection;
    private final Connection inner;
    private final int id;
    private final List<PreparedStatement> open = new ArrayList<>();
    private String outcome = "";

    Client(Connection connection, int id) throws SQLException {
      this.connection = connection;
      this.inner = connection.unwrap(Connection.class);
      this.id = id;
    }

    /** True if the pool has closed the connection, as it does after errors such as 0A000. */
    boolean evicted() throws SQLException {
      return connection.isClosed();
    }

    static String text(int transaction) {
      boolean prepared = transaction % 2 == 0;
      boolean alone = transaction / 2 % 2 == 0;
      String how = prepared ? "prepared " : "";
      return transaction >= TEXTS.length * 4
          ? how + "all"
          : how + (alone ? "alone " : "") + TEXTS[transaction / 4];
    }

    /** Executes it and keeps what it gave in {@link #outcome}. */
    Executed execute(int transaction) throws SQLException {
      boolean prepared = transaction % 2 == 0;
      boolean all = transaction >= TEXTS.length * 4;
      boolean autoCommit = !all && transaction / 2 % 2 == 0;
      long began = System.nanoTime();
      String failure = "";
      connection.setAutoCommit(autoCommit);
      try {
        StringBuilder got = new StringBuilder();
        for (int i = all ? 0 : transaction / 4;
            i < (all ? TEXTS.length : transaction / 4 + 1);
            i++) {
          got.append(prepared ? prepared(i) : plain(TEXTS[i]));
        }
        if (!autoCommit) {
          connection.commit();
        }
        outcome = "gave " + got;
      } catch (SQLException e) {
        failure = e.getSQLState() + " " + e.getErrorCode();
        outcome = "failed " + failure;
        if (!autoCommit && !connection.isClosed()) {
          connection.rollback();
        }
      }
      return new Executed(inner, text(transaction), failure, began, System.nanoTime());
    }

    private String prepared(int i) throws SQLException {
      if (open.isEmpty()) {
        for (String text : TEXTS) {
          open.add(connection.prepareStatement(text));
        }
      }
      PreparedStatement statement = open.get(i);
      statement.setInt(1, id);
      return outcome(statement, statement.execute());
    }

    private String plain(String text) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        return outcome(statement, statement.execute(text.replace("?", String.valueOf(id))));
      }
    }

    private static String outcome(Statement statement, boolean result) throws SQLException {
      if (!result) {
        return statement.getUpdateCount() + ";";
      }
      StringBuilder rows = new StringBuilder();
      try (ResultSet rs = statement.getResultSet()) {
        int columns = rs.getMetaData().getColumnCount();
        while (rs.next()) {
          for (int i = 1; i <= columns; i++) {
            rows.append(rs.getObject(i)).append(i < columns ? "," : ";");
          }
        }
      }
      return rows.toString();
    }
  }
}
