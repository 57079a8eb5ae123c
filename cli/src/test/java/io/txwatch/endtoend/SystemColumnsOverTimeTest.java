package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.txwatch.servers.PostgresServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/**
 * PostgreSQL by its system columns, which administration changes: rows are frozen, tables are
 * rewritten or restored, transactions are prepared, a standby is promoted. What happened before and
 * after is judged as if it had not been, or not at all.
 *
 * <p>There are an {@code account} with a key, a {@code note} without one, and two watched sessions;
 * {@code psql} is not watched.
 */
class SystemColumnsOverTimeTest {

  private static final List<String> SETUP =
      List.of(
          "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
          "INSERT INTO account VALUES (1, 100), (2, 200)",
          "CREATE TABLE note (n INT)",
          "INSERT INTO note VALUES (1), (2), (3)");

  private static void execute(Statement psql, List<String> texts) throws SQLException {
    for (String text : texts) {
      psql.execute(text);
    }
  }

  private static void read(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        assertThat(rows.getString(1)).isNotNull();
      }
    }
  }

  private static Watched watched(Path folder) {
    return new Watched(folder, Map.of("txwatch.versions", "system"));
  }

  /**
   * The sessions of a test.
   *
   * @param raw a connection that is not watched
   * @param psql a statement on it
   * @param one the first watched session
   * @param other the second
   * @param decider a third one, in autocommit
   */
  private record Sessions(
      Connection raw, Statement psql, Connection one, Connection other, Connection decider) {}

  /** What a test does. */
  private interface Course {
    void run(Sessions sessions, Statement ofOne, Statement ofOther) throws Exception;
  }

  /** What is reported after a course on a fresh database. */
  private static List<String> reported(Path folder, Course course) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Watched watched = watched(folder);
    try (Connection raw = DriverManager.getConnection(url);
        Statement psql = raw.createStatement()) {
      execute(psql, SETUP);
      try (watched;
          Connection one = session(watched, url);
          Connection other = session(watched, url);
          Connection decider = watched.connect(url);
          Statement ofOne = one.createStatement();
          Statement ofOther = other.createStatement()) {
        course.run(new Sessions(raw, psql, one, other, decider), ofOne, ofOther);
      }
    }
    return reported(watched);
  }

  private static Connection session(Watched watched, String url) throws SQLException {
    Connection connection = watched.connect(url);
    connection.setAutoCommit(false);
    return connection;
  }

  /** Each anomaly, with the number of its transactions that were not watched. */
  private static List<String> reported(Watched watched) throws Exception {
    List<String> found = new ArrayList<>();
    for (ReportedAnomaly anomaly : watched.reported()) {
      int unwatched = 0;
      for (JsonNode transaction : anomaly.json().path("transactions")) {
        unwatched += transaction.path("session").asText().startsWith("xid ") ? 1 : 0;
      }
      found.add(anomaly.phenomenon() + (unwatched > 0 ? " " + unwatched + " not watched" : ""));
    }
    return found;
  }

  /** A row is frozen between a watched write and the writes and reads of others. */
  @Test
  void frozenRowsKeepTheirWriter(@TempDir Path folder) throws Exception {
    List<String> found =
        reported(
            folder,
            (sessions, ofOne, ofOther) -> {
              read(ofOne, "SELECT balance FROM account WHERE id = 1");
              read(ofOther, "SELECT balance FROM account WHERE id = 1");
              ofOther.execute("UPDATE account SET balance = 90 WHERE id = 1");
              sessions.other().commit();
              sessions.psql().execute("VACUUM (FREEZE) account");
              ofOne.execute("UPDATE account SET balance = 80 WHERE id = 1");
              sessions.one().commit();
            });
    assertThat(found).containsExactly("LOST_UPDATE");
  }

  /** The system columns show that a trigger wrote a row, and not which columns. */
  @Test
  void aTriggerMayHaveLeftTheColumnThatIsRead(@TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Watched watched = watched(folder);
    try (Connection raw = DriverManager.getConnection(url);
        Statement psql = raw.createStatement()) {
      execute(psql, SETUP);
      execute(
          psql,
          List.of(
              "CREATE TABLE copy (id INT PRIMARY KEY, balance INT, owner INT)",
              "INSERT INTO copy VALUES (1, 100, 7)",
              "CREATE FUNCTION copy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                  + " UPDATE copy SET balance = NEW.balance WHERE id = NEW.id; RETURN NULL; END $$",
              "CREATE TRIGGER t AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION copy()"));
      try (watched;
          Connection one = session(watched, url);
          Connection other = session(watched, url);
          Statement ofOne = one.createStatement();
          Statement ofOther = other.createStatement()) {
        read(ofOne, "SELECT balance FROM account WHERE id = 1");
        ofOther.execute("UPDATE account SET balance = 90 WHERE id = 1");
        other.commit();
        read(ofOne, "SELECT owner FROM copy WHERE id = 1");
        one.commit();
      }
    }
    assertThat(watched.reported()).isNotEmpty().allMatch(ReportedAnomaly::possible);
  }

  /**
   * A row without key that was deleted, and one that takes its place when the table is rewritten:
   * the same place, by the same writer.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "VACUUM (FULL) note",
        "CREATE INDEX by_n ON note (n); CLUSTER note USING by_n",
        "TRUNCATE note; INSERT INTO note VALUES (2), (3)",
        "ALTER TABLE note ALTER n TYPE BIGINT"
      })
  void placesOfRewrittenTablesAreOthers(String rewrite, @TempDir Path folder) throws Exception {
    List<String> found =
        reported(
            folder,
            (sessions, ofOne, ofOther) -> {
              read(ofOther, "SELECT balance FROM account WHERE id = 2"); // overlaps with the first
              ofOne.execute("DELETE FROM note WHERE n = 1");
              ofOne.execute("UPDATE account SET balance = 0 WHERE id = 1");
              sessions.one().commit();
              execute(sessions.psql(), List.of(rewrite.split("; ")));
              read(ofOther, "SELECT balance FROM account WHERE id = 1");
              read(ofOther, "SELECT n FROM note");
              sessions.other().commit();
              loseAnUpdate(sessions.one(), sessions.other(), "note", "n", "n = 2");
            });
    assertThat(found).containsExactly("LOST_UPDATE");
  }

  /**
   * The same at level {@code predicates}: T1 reads another table, T2 writes a row without key, the
   * table is written anew, and T1 reads it: no row is missing that has only another place. And T1
   * reads a table before T2 writes to it.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1",
        "VACUUM (FULL) note",
        "CREATE INDEX by_n ON note (n); CLUSTER note USING by_n",
        "TRUNCATE note",
        "ALTER TABLE note ALTER n TYPE BIGINT",
        "CREATE INDEX by_n ON note (n); REINDEX TABLE note"
      })
  void rowsOfRewrittenTablesAreNotMissing(String rewrite, @TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Watched watched =
        new Watched(
            folder, Map.of("txwatch.versions", "system", "txwatch.instrument", "predicates"));
    try (Connection raw = DriverManager.getConnection(url);
        Statement psql = raw.createStatement()) {
      execute(psql, SETUP);
      psql.execute("CREATE TABLE other (n INT)");
      try (watched;
          Connection one = session(watched, url);
          Connection other = session(watched, url);
          Statement ofOne = one.createStatement();
          Statement ofOther = other.createStatement()) {
        for (int i = 0; i < 3; i++) {
          read(ofOther, "SELECT balance FROM account WHERE id = 2"); // overlaps with the first
          read(ofOne, "SELECT n FROM note WHERE n > 1");
          ofOne.execute("INSERT INTO note VALUES (2)");
          ofOne.execute("UPDATE note SET n = n + 1 WHERE n = 3");
          ofOne.execute("DELETE FROM note WHERE n = 1");
          one.commit();
          execute(
              psql,
              List.of((i == 0 ? rewrite : rewrite.replaceAll("CREATE[^;]*; ", "")).split("; ")));
          read(ofOther, "SELECT n FROM note WHERE n > 1");
          ofOther.execute("INSERT INTO note VALUES (3)");
          read(ofOther, "SELECT n FROM note WHERE n > 1");
          other.commit();
        }
        read(ofOne, "SELECT n FROM other WHERE n > 1");
        ofOther.execute("INSERT INTO other VALUES (2)");
        other.commit();
        read(ofOne, "SELECT n FROM other WHERE n > 1");
        one.commit();
      }
    }
    assertThat(reported(watched)).containsExactly("PHANTOM");
  }

  /** Two sessions, one from before and one from after a reset, are sessions of one run. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "pg_stat_reset_shared('bgwriter')",
        "pg_stat_reset_shared('wal')",
        "pg_stat_reset_shared()",
        "pg_stat_reset_slru(NULL)",
        "pg_stat_reset()"
      })
  void resetStatisticsAreNoRestart(String reset, @TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Watched watched = watched(folder);
    try (Connection raw = DriverManager.getConnection(url);
        Statement psql = raw.createStatement()) {
      execute(psql, SETUP);
      try (watched;
          Connection one = session(watched, url)) {
        psql.execute("SELECT " + reset);
        try (Connection other = session(watched, url)) {
          loseAnUpdate(one, other, "account", "balance", "id = 1");
        }
      }
    }
    assertThat(reported(watched)).containsExactly("LOST_UPDATE");
  }

  private static void loseAnUpdate(
      Connection one, Connection other, String table, String column, String where)
      throws SQLException {
    String select = "SELECT " + column + " FROM " + table + " WHERE " + where;
    String update = "UPDATE " + table + " SET " + column + " = " + column + " WHERE " + where;
    try (Statement ofOne = one.createStatement();
        Statement ofOther = other.createStatement()) {
      read(ofOne, select);
      read(ofOther, select);
      assertThat(ofOther.executeUpdate(update)).isOne();
      other.commit();
      assertThat(ofOne.executeUpdate(update)).isOne();
      one.commit();
    }
  }

  /** As {@code pg_dump --clean} writes it: rows with the same keys, by one transaction. */
  @Test
  void restoredRowsAreNewOnes(@TempDir Path folder) throws Exception {
    List<String> found =
        reported(
            folder,
            (sessions, ofOne, ofOther) -> {
              ofOther.execute("SELECT 1");
              ofOne.execute("UPDATE account SET balance = 0");
              sessions.one().commit();
              sessions.psql().execute("DROP TABLE account");
              sessions.psql().execute("CREATE TABLE account (id INT NOT NULL, balance INT)");
              sessions
                  .raw()
                  .unwrap(PGConnection.class)
                  .getCopyAPI()
                  .copyIn("COPY account FROM stdin", new StringReader("1\t100\n2\t200\n"));
              sessions
                  .psql()
                  .execute("ALTER TABLE ONLY account ADD CONSTRAINT account_pkey PRIMARY KEY (id)");
              read(ofOther, "SELECT balance FROM account");
              ofOther.execute("UPDATE account SET balance = 5 WHERE id = 2");
              sessions.other().commit();
              loseAnUpdate(sessions.one(), sessions.other(), "account", "balance", "id = 1");
            });
    assertThat(found).containsExactly("LOST_UPDATE");
  }

  /**
   * An update is prepared by one session and decided by another, after a third has read the row and
   * before it overwrites it. What nobody watched has decided is unknown, so nothing is concluded.
   */
  @ParameterizedTest
  @CsvSource({
    "false, watched, COMMIT,   LOST_UPDATE",
    "true,  watched, COMMIT,   LOST_UPDATE",
    "false, watched, ROLLBACK, ''",
    "true,  watched, ROLLBACK, ''",
    "false, psql,    COMMIT,   ''",
    "true,  psql,    COMMIT,   ''",
    "true,  psql,    ROLLBACK, ''"
  })
  void preparedTransactions(
      boolean inBatch, String by, String decision, String expected, @TempDir Path folder)
      throws Exception {
    List<String> found =
        reported(
            folder,
            (sessions, ofOne, ofOther) -> {
              ofOther.execute(
                  "UPDATE account SET balance = 80 WHERE id = 1"); // guarded the first time
              sessions.other().commit();
              read(ofOne, "SELECT balance FROM account WHERE id = 1");
              read(ofOther, "SELECT balance FROM account WHERE id = 1");
              if (inBatch) {
                ofOne.addBatch("UPDATE account SET balance = 90 WHERE id = 1");
                assertThat(ofOne.executeBatch()).containsExactly(1);
              } else {
                ofOne.execute("UPDATE account SET balance = 90 WHERE id = 1");
              }
              ofOne.execute("PREPARE TRANSACTION 'two phases " + folder + "'");
              try (Statement ofDecider = sessions.decider().createStatement()) {
                (by.equals("psql") ? sessions.psql() : ofDecider)
                    .execute(decision + " PREPARED 'two phases " + folder + "'");
              }
              ofOther.execute("UPDATE account SET balance = 80 WHERE id = 1");
              sessions.other().commit();
            });
    assertThat(String.join(", ", found)).isEqualTo(expected);
  }

  /** A frozen row shows the id of its writer, which a transaction of today has, too. */
  @Test
  void idsThatReturnAreNotThoseOfFrozenRows(@TempDir Path folder) throws Exception {
    List<String> before = new ArrayList<>(SETUP);
    for (int i = 0; i < 30; i++) {
      before.add("INSERT INTO note VALUES (" + i + ")");
    }
    before.add("VACUUM (FREEZE)");
    Watched watched = watched(folder);
    try (PostgresServer server = PostgresServer.startAfterWraparound(before);
        Connection raw = server.connect();
        Statement psql = raw.createStatement()) {
      try (watched;
          Connection one = session(watched, server.url());
          Connection other = session(watched, server.url());
          Statement ofOne = one.createStatement();
          Statement ofOther = other.createStatement()) {
        boolean returned = false;
        for (int i = 0; i < 30; i++) {
          read(ofOther, "SELECT balance FROM account WHERE id = 1");
          ofOne.execute("UPDATE account SET balance = 90 WHERE id = 1");
          one.commit();
          read(ofOther, "SELECT n FROM note");
          other.commit();
          try (ResultSet row =
              psql.executeQuery(
                  "SELECT count(*) FROM note n JOIN account a ON n.xmin = a.xmin"
                      + " WHERE a.id = 1")) {
            row.next();
            returned |= row.getInt(1) > 0;
          }
        }
        assertThat(returned).isTrue();
        loseAnUpdate(one, other, "account", "balance", "id = 2");
      }
    }
    assertThat(reported(watched)).containsExactly("LOST_UPDATE");
  }

  /** A session that was opened on the standby continues to write once it is promoted. */
  @Test
  void aPromotedStandbyIsAnotherRun(@TempDir Path folder) throws Exception {
    Watched watched = watched(folder);
    try (PostgresServer primary = PostgresServer.start();
        Connection raw = primary.connect();
        Statement psql = raw.createStatement()) {
      execute(psql, SETUP);
      try (PostgresServer standby = primary.standby();
          Connection admin = standby.connect();
          Statement promoter = admin.createStatement();
          watched;
          Connection one = session(watched, primary.url());
          Connection reader = session(watched, standby.url());
          Statement ofOne = one.createStatement();
          Statement ofReader = reader.createStatement()) {
        ofOne.execute("UPDATE account SET balance = 90 WHERE id = 1");
        one.commit();
        await()
            .until(
                () -> {
                  try (ResultSet row =
                      promoter.executeQuery("SELECT balance FROM account WHERE id = 1")) {
                    return row.next() && row.getInt(1) == 90;
                  }
                });
        read(ofReader, "SELECT balance FROM account WHERE id = 1");
        promoter.execute("SELECT pg_promote()");
        reader.commit();
        // The old primary goes on: its ids, and the standby's, are now of two servers.
        ofOne.execute("UPDATE account SET balance = 80 WHERE id = 1");
        ofOne.execute("UPDATE account SET balance = 70 WHERE id = 2");
        one.commit();
        try (Connection another = session(watched, standby.url());
            Connection third = session(watched, standby.url())) {
          try (Statement ofAnother = another.createStatement()) {
            read(ofAnother, "SELECT balance FROM account WHERE id = 1");
            read(ofReader, "SELECT balance FROM account WHERE id = 2");
            ofReader.execute("UPDATE account SET balance = 60 WHERE id = 1");
            reader.commit();
            ofAnother.execute("UPDATE account SET balance = 50 WHERE id = 2");
            another.commit();
          }
          loseAnUpdate(another, third, "account", "balance", "id = 1");
        }
      }
    }
    assertThat(reported(watched)).containsExactly("LOST_UPDATE");
  }
}
