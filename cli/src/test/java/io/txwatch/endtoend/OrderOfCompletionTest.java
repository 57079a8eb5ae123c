package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL by its system columns: what could mislead the order of two updates of a row, of which
 * the second one, an item of a batch, does not return what it replaced. Both transactions have read
 * the row before the first one writes it, unless it is said otherwise.
 */
class OrderOfCompletionTest {

  private static final String WRITE = "UPDATE account SET balance = balance - 10 WHERE id = 1";
  private static final String READ = "SELECT id, balance, note FROM account WHERE id = 1";

  private String url = "";
  private Watched watched;
  private Connection one;
  private Connection two;

  @BeforeEach
  void open(@TempDir Path folder) throws SQLException {
    url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    execute(
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT, note INT DEFAULT 0)",
        "CREATE TABLE booking (n INT PRIMARY KEY, account INT REFERENCES account ON UPDATE CASCADE)",
        "CREATE TABLE one (id INT PRIMARY KEY)",
        "INSERT INTO one VALUES (1)",
        "INSERT INTO account VALUES (1, 100)");
    watched = new Watched(folder, Map.of("txwatch.versions", "system"));
    connect("");
  }

  @AfterEach
  void close() throws Exception {
    one.close();
    two.close();
    watched.close();
  }

  private void connect(String options) throws SQLException {
    one = watched.connect(url + options);
    two = watched.connect(url + options);
    one.setAutoCommit(false);
    two.setAutoCommit(false);
    for (Connection each : List.of(one, two)) { // the first execution may have a savepoint
      write(each, "UPDATE one SET id = 1 WHERE id = 1");
      each.commit();
    }
  }

  /** Past txwatch, before the tables are first used. */
  private void define(String... texts) throws SQLException {
    one.close();
    two.close();
    execute(texts);
    connect("");
  }

  /** Past txwatch. */
  private void execute(String... texts) throws SQLException {
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private static void write(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private static int[] batch(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.addBatch(text);
      }
      return statement.executeBatch();
    }
  }

  private static void read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(READ)) {
      while (row.next()) {
        assertThat(row.getInt(1)).isOne();
      }
    }
  }

  private void bothRead() throws SQLException {
    read(one);
    read(two);
  }

  private void firstWrites() throws SQLException {
    write(one, WRITE);
    one.commit();
  }

  private List<String> reported() throws Exception {
    close();
    List<String> found = new ArrayList<>();
    watched.reported().forEach(anomaly -> found.add(anomaly.phenomenon()));
    return found;
  }

  @Test
  void theSecondUpdateLosesTheFirst() throws Exception {
    bothRead();
    firstWrites();
    batch(two, WRITE);
    two.commit();
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  /** It waits for the first one, and is evaluated again on the version of that. */
  @Test
  void theSecondUpdateWaitsAndFindsTheRow() throws Exception {
    bothRead();
    write(one, WRITE);
    assertThat(waiting(WRITE)).containsExactly(1);
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  @Test
  void theSecondUpdateWaitsAndFindsTheRowNoMore() throws Exception {
    bothRead();
    write(one, WRITE);
    assertThat(waiting(WRITE + " AND balance = 100")).containsExactly(0);
    assertThat(reported()).isEmpty();
  }

  @Test
  void theSecondUpdateWaitsAndTheKeyHasChanged() throws Exception {
    bothRead();
    write(one, "UPDATE account SET id = 2 WHERE id = 1");
    assertThat(waiting(WRITE)).containsExactly(0);
    assertThat(reported()).isEmpty();
  }

  /** The second transaction's batch is sent, waits for the first transaction, and is committed. */
  private int[] waiting(String sql) throws Exception {
    CompletableFuture<int[]> counts =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                int[] counted = batch(two, sql);
                two.commit();
                return counted;
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      boolean waits = false;
      while (!waits) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock'")) {
          row.next();
          waits = row.getInt(1) > 0;
        }
      }
    }
    one.commit();
    return counts.get();
  }

  @Test
  void aTriggerCancelsTheSecondUpdate() throws Exception {
    define(trigger("IF NEW.balance < 85 THEN RETURN NULL; END IF; RETURN NEW;"));
    bothRead();
    firstWrites();
    assertThat(batch(two, WRITE)).containsExactly(0);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  @Test
  void aTriggerCreatedMeanwhileCancelsTheSecondUpdate() throws Exception {
    bothRead();
    firstWrites();
    execute(trigger("IF NEW.balance < 85 THEN RETURN NULL; END IF; RETURN NEW;"));
    assertThat(batch(two, WRITE)).containsExactly(0);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  /** Where a trigger may change the key, the row of an update is not known by the key. */
  @Test
  void aTriggerGivesTheRowAnotherKey() throws Exception {
    define(trigger("NEW.id := CASE WHEN NEW.balance < 85 THEN 2 ELSE 1 END; RETURN NEW;"));
    bothRead();
    firstWrites();
    assertThat(batch(two, WRITE)).containsExactly(1);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  /** The update has overwritten what the first one wrote, whatever key the row has then. */
  @Test
  void aTriggerCreatedMeanwhileGivesTheRowAnotherKey() throws Exception {
    bothRead();
    firstWrites();
    execute(trigger("NEW.id := CASE WHEN NEW.balance < 85 THEN 2 ELSE 1 END; RETURN NEW;"));
    assertThat(batch(two, WRITE)).containsExactly(1);
    two.commit();
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  private static String[] trigger(String body) {
    return new String[] {
      "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + body + " END $$",
      "CREATE TRIGGER t BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION f()"
    };
  }

  /** The trigger runs in the first transaction, and its version replaces that of the statement. */
  @Test
  void aTriggerUpdatesTheRowAfterTheFirstUpdate() throws Exception {
    define(
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " BEGIN UPDATE account SET note = note + 1 WHERE id = NEW.id;"
            + " EXCEPTION WHEN division_by_zero THEN NULL; END; RETURN NULL; END $$",
        "CREATE TRIGGER t AFTER UPDATE OF balance ON account FOR EACH ROW"
            + " EXECUTE FUNCTION f()");
    read(two);
    batch(two, WRITE);
    two.commit();
    read(one);
    firstWrites();
    assertThat(reported()).isEmpty();
  }

  /** A reference locks the row, but not against updates of other columns. */
  @Test
  void aReferenceToTheRowIsNoWrite() throws Exception {
    bothRead();
    write(one, "INSERT INTO booking VALUES (1, 1)");
    batch(two, WRITE);
    two.commit();
    one.commit();
    assertThat(reported()).isEmpty();
  }

  @Test
  void theFirstUpdateIsUndoneBeforeTheSecond() throws Exception {
    bothRead();
    var savepoint = one.setSavepoint();
    write(one, WRITE);
    one.rollback(savepoint);
    batch(two, WRITE); // does not wait
    two.commit();
    one.commit();
    assertThat(reported()).isEmpty();
  }

  @Test
  void theSecondUpdateIsUndone() throws Exception {
    bothRead();
    firstWrites();
    var savepoint = two.setSavepoint();
    batch(two, WRITE);
    two.rollback(savepoint);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  /** The driver's own savepoint undoes the whole batch. */
  @Test
  void theSecondUpdateIsUndoneByTheDriver() throws Exception {
    one.close();
    two.close();
    connect(url.contains("?") ? "&autosave=always" : "?autosave=always");
    bothRead();
    firstWrites();
    assertThatThrownBy(() -> batch(two, WRITE, "UPDATE account SET balance = 1 / 0 WHERE id = 1"))
        .isInstanceOf(BatchUpdateException.class);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  /** The first one then waits for its lock, but its event may come first. */
  @Test
  void theBatchCommitsBeforeItReturns() throws Exception {
    read(two);
    assertThat(batch(two, WRITE, "COMMIT")).hasSize(2);
    read(one);
    firstWrites();
    two.commit();
    assertThat(reported()).isEmpty();
  }

  /** It was the first one, but its event comes last. */
  @Test
  void theResultOfTheUpdateIsOpenUntilAfterTheCommit() throws Exception {
    read(two);
    try (Statement statement = two.createStatement();
        ResultSet left =
            statement.executeQuery(
                "UPDATE account SET balance = balance - 10 FROM one WHERE account.id = one.id"
                    + " RETURNING account.id")) {
      assertThat(left.next()).isTrue();
      two.commit();
      read(one);
      firstWrites();
    }
    assertThat(reported()).isEmpty();
  }

  /** The row that has the key now is another one, but it took the key after the first one. */
  @Test
  void anotherRowTakesTheKey() throws Exception {
    read(two);
    write(one, "UPDATE account SET id = 2 WHERE id = 1");
    one.commit();
    execute("INSERT INTO account VALUES (1, 500)");
    batch(two, WRITE);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  @Test
  void anUpsertInABatchIsNotKnownByItsKey() throws Exception {
    bothRead();
    firstWrites();
    batch(
        two,
        "INSERT INTO account VALUES (1, 0)"
            + " ON CONFLICT (id) DO UPDATE SET balance = account.balance - 10");
    two.commit();
    assertThat(reported()).isEmpty();
  }

  @Test
  void theRowHasMovedToAnotherPartitionAndBack() throws Exception {
    define(
        "DROP TABLE booking",
        "DROP TABLE account",
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT, note INT) PARTITION BY RANGE (id)",
        "CREATE TABLE low PARTITION OF account FOR VALUES FROM (0) TO (2)",
        "CREATE TABLE high PARTITION OF account FOR VALUES FROM (2) TO (9)",
        "INSERT INTO account VALUES (1, 100, 0)");
    bothRead();
    write(one, "UPDATE account SET id = 2 WHERE id = 1");
    one.commit();
    write(one, "UPDATE account SET id = 1 WHERE id = 2");
    one.commit();
    firstWrites();
    assertThat(batch(two, WRITE)).containsExactly(1);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  /**
   * The version of the transaction as a whole is the last one again: what a part of it wrote in
   * between was not overlooked by those who read it.
   */
  @Test
  void aTransactionWritesUnderItsIdAgainAfterASavepoint() throws Exception {
    String note = "UPDATE account SET note = note + 1 WHERE id = 1";
    for (String text : List.of(WRITE, note)) { // the first execution may have a savepoint
      write(one, text);
      one.commit();
    }
    batch(one, WRITE);
    var savepoint = one.setSavepoint();
    write(one, note);
    one.releaseSavepoint(savepoint);
    write(one, WRITE);
    one.commit();
    read(two);
    two.commit();
    assertThat(reported()).isEmpty();
  }

  /** Its version has an id that no statement returned. */
  @Test
  void aBatchAfterASavepointIsNamedByItsId() throws Exception {
    bothRead();
    one.setSavepoint();
    batch(one, WRITE);
    one.commit();
    write(two, "UPDATE one SET id = 1 WHERE id = 1");
    write(two, WRITE);
    two.commit();
    assertThat(reported()).containsExactly("LOST_UPDATE");
    assertThat(watched.reported().get(0).json().findValuesAsText("session"))
        .anyMatch(name -> name.startsWith("xid "));
  }

  @Test
  void manyUpdatesInOneBatch() throws Exception {
    bothRead();
    firstWrites();
    String[] texts = new String[20];
    Arrays.fill(texts, WRITE);
    assertThat(batch(two, texts)).containsOnly(1);
    two.commit();
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }
}
