package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.Calendar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.junit.jupiter.api.DisplayName;

/** Batches, and several statements in one string. */
class BatchesTest {

  @OnEach
  @DisplayName("33 batches: a count and a statement of its own for each item")
  void items(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  connection.setAutoCommit(false);
                  try (PreparedStatement insert =
                          connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?)");
                      PreparedStatement update =
                          connection.prepareStatement("UPDATE item SET qty = ? WHERE id <= ?")) {
                    for (int i = 0; i < 4; i++) {
                      insert.setInt(1, 100 + i);
                      insert.setString(2, "n" + i);
                      insert.setInt(3, i);
                      insert.addBatch();
                      update.setInt(1, i);
                      update.setInt(2, i);
                      update.addBatch();
                    }
                    transcript.line(Arrays.toString(insert.executeBatch()));
                    transcript.step(
                        "large",
                        () -> transcript.line(Arrays.toString(update.executeLargeBatch())));
                    transcript.line("empty " + Arrays.toString(update.executeBatch()));
                  }
                  connection.commit();
                  try (Statement statement = connection.createStatement()) {
                    statement.addBatch("DELETE FROM item WHERE id = 100");
                    statement.addBatch("INSERT INTO item VALUES (200, 'plain', 1)");
                    statement.addBatch("UPDATE item SET qty = 0 WHERE id = 99");
                    statement.addBatch("UPDATE item SET qty = 0");
                    transcript.line(Arrays.toString(statement.executeBatch()));
                    connection.commit();
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                  connection.commit();
                });
    assertThat(watched.statements())
        .extracting(Event.StatementExecuted::sql)
        .hasSize(4 + 4 + 4 + 1);
  }

  @OnEach
  @DisplayName("33 batches: an item that fails in the middle")
  void failure(Place place) throws SQLException {
    for (boolean autoCommit : new boolean[] {true, false}) {
      place
          .shop()
          .run(
              (connection, transcript) -> {
                connection.setAutoCommit(autoCommit);
                try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO item VALUES (?, 'x', 0)")) {
                  for (int id : new int[] {10, 11, 1, 12}) {
                    insert.setInt(1, id);
                    insert.addBatch();
                  }
                  transcript.step(
                      "prepared", () -> transcript.line(Arrays.toString(insert.executeBatch())));
                }
                end(connection.getAutoCommit(), connection::commit, transcript);
                try (Statement statement = connection.createStatement()) {
                  statement.addBatch("INSERT INTO item VALUES (20, 'y', 0)");
                  statement.addBatch("INSERT INTO item VALUES (1, 'y', 0)");
                  statement.addBatch("INSERT INTO item VALUES (21, 'y', 0)");
                  transcript.step(
                      "plain", () -> transcript.line(Arrays.toString(statement.executeBatch())));
                  end(connection.getAutoCommit(), connection::commit, transcript);
                  statement.addBatch("SELECT * FROM item");
                  transcript.step(
                      "query", () -> transcript.line(Arrays.toString(statement.executeBatch())));
                  end(connection.getAutoCommit(), connection::rollback, transcript);
                  transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                }
              });
    }
  }

  private static void end(boolean autoCommit, Transcript.Step how, Transcript transcript) {
    if (!autoCommit) {
      transcript.step("end", how);
    }
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("34 batches that drivers rewrite stay ones that they rewrite")
  void rewrittenByTheDriver(Place place) throws SQLException {
    String parameters =
        switch (place.kind()) {
          case POSTGRESQL -> "reWriteBatchedInserts=true";
          case MARIADB -> "useBulkStmts=true";
          default -> "rewriteBatchedStatements=true";
        };
    place
        .shop()
        .serve(
            parameters,
            (connections, transcript) -> {
              try (var connection = connections.open();
                  PreparedStatement insert =
                      connection.prepareStatement(
                          "INSERT INTO item (id, name, qty) VALUES (?, ?, ?)");
                  PreparedStatement update =
                      connection.prepareStatement("UPDATE item SET qty = ? WHERE id = ?");
                  Statement statement = connection.createStatement()) {
                for (int i = 0; i < 10; i++) {
                  insert.setInt(1, 100 + i);
                  insert.setString(2, "n" + i);
                  insert.setInt(3, i);
                  insert.addBatch();
                  update.setInt(1, i);
                  update.setInt(2, 100 + i);
                  update.addBatch();
                }
                int[] counts = insert.executeBatch();
                // SUCCESS_NO_INFO is how the driver shows that it sent them as one.
                transcript.line(Arrays.toString(counts));
                transcript.line(Arrays.toString(update.executeBatch()));
                transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
              }
            });
  }

  @OnEach
  @DisplayName("35 several statements in one string")
  void severalInOneString(Place place) throws SQLException {
    String parameters = place.isMySqlLike() ? "allowMultiQueries=true" : "";
    place
        .shop()
        .serve(
            parameters,
            (connections, transcript) -> {
              try (var connection = connections.open()) {
                for (String sql :
                    List.of(
                        "UPDATE item SET qty = 1 WHERE id = 1; UPDATE item SET qty = 2",
                        "SELECT * FROM item ORDER BY id; SELECT * FROM line ORDER BY id",
                        "INSERT INTO item VALUES (4, 'a;b', 1); SELECT * FROM item ORDER BY id",
                        "SELECT DISTINCT qty FROM item ORDER BY qty; DELETE FROM line; SELECT COUNT(*) FROM line",
                        "SELECT id FROM item ORDER BY id;",
                        "; ;",
                        "UPDATE item SET qty = 3; SELECT nosuch FROM item")) {
                  transcript.step(
                      sql,
                      () -> {
                        try (Statement statement = connection.createStatement()) {
                          transcript.results(statement, statement.execute(sql));
                        }
                      });
                }
                try (PreparedStatement two =
                    connection.prepareStatement(
                        "UPDATE item SET qty = ? WHERE id = ?; SELECT * FROM item WHERE id = ?")) {
                  transcript.step(
                      "prepared",
                      () -> {
                        two.setInt(1, 77);
                        two.setInt(2, 1);
                        two.setInt(3, 1);
                        transcript.results(two, two.execute());
                      });
                }
                try (Statement statement = connection.createStatement()) {
                  transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                }
              }
            });
  }

  /** Some drivers take what it is worth when it is set, others when it is sent. */
  @OnEach
  @DisplayName("33 batches, and what is executed otherwise: values that change after they were set")
  void valuesThatChangeOnceTheyWereSet(Place place) throws SQLException {
    String time = place.isMySqlLike() ? "DATETIME(3)" : "TIMESTAMP";
    String bytes = place.is(ServerKind.POSTGRESQL) ? "BYTEA" : "VARBINARY(4)";
    place
        .of(
            "CREATE TABLE moment (id INT PRIMARY KEY, n INT NOT NULL, t %1$s, c %1$s, d DATE, k TIME, o %1$s, b %2$s)"
                .formatted(time, bytes),
            "INSERT INTO moment (id, n) VALUES (1, 0), (2, 0), (3, 0)")
        .run(
            (connection, transcript) -> {
              for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                try (PreparedStatement update =
                    connection.prepareStatement(
                        "UPDATE moment SET n = n + 1, t = ?, c = ?, d = ?, k = ?, o = ?, b = ? WHERE id = ?")) {
                  Changing values = new Changing();
                  values.setTo(update, 1);
                  values.change(2);
                  transcript.line("executed " + update.executeUpdate());
                  values.contents(connection, transcript);
                  lockFirst(connection, place);
                  for (int id = 1; id <= 3; id++) {
                    values.change(2 + id);
                    values.setTo(update, id);
                    values.change(20 + id);
                    update.addBatch();
                  }
                  values.change(30);
                  transcript.line(Arrays.toString(update.executeBatch()));
                  values.contents(connection, transcript);
                  for (int i = 0; i < 6; i++) {
                    values.setTo(update, 2);
                    values.change(40 + i);
                    transcript.line("executed " + update.executeUpdate());
                    values.contents(connection, transcript);
                  }
                  values.change(50);
                  update.execute(); // with what was set the last time
                  values.contents(connection, transcript);
                }
              }
              connection.rollback();
            });
  }

  /** Some drivers execute a statement where it was made, others where the session is by then. */
  @OnEach({ServerKind.MYSQL, ServerKind.MARIADB, ServerKind.POSTGRESQL, ServerKind.H2})
  @DisplayName("33 batches, and what is executed otherwise: after a change to another database")
  void inAnotherDatabase(Place place) throws SQLException {
    List<String> settings =
        place.isMySqlLike()
            ? List.of("useServerPrepStmts=false", "useServerPrepStmts=true")
            : place.is(ServerKind.H2) ? List.of("") : List.of("", "prepareThreshold=1");
    for (String parameters : settings) {
      String other =
          place.isMySqlLike()
              ? databaseWithItems(place)
              : place.is(ServerKind.H2) ? "OTHER" : "other";
      Twins twins =
          place.isMySqlLike()
              ? place.shop()
              : place.shopWith("CREATE SCHEMA other", ITEMS_OF.formatted("other."));
      twins.serve(
          parameters,
          (connections, transcript) -> {
            for (int variant = 0; variant < 8; variant++) {
              boolean text = (variant & 1) != 0;
              boolean back = (variant & 2) != 0;
              boolean executed = (variant & 4) != 0;
              transcript.step(
                  "by a text " + text + ", back " + back + ", executed before " + executed,
                  () -> {
                    try (Connection connection = connections.open()) {
                      String home =
                          place.isMySqlLike() ? connection.getCatalog() : connection.getSchema();
                      Databases databases =
                          new Databases(place, text, back ? other : home, back ? home : other, "");
                      databases.change(connection, executed, transcript);
                      databases.contents(connection, transcript);
                    }
                  });
            }
          });
    }
  }

  /** Whatever changes a definition or a setting has H2 compile what was prepared before. */
  @OnEach(ServerKind.H2)
  @DisplayName("33 batches, and what is executed otherwise: compiled anew in another schema")
  void compiledAnew(Place place) throws SQLException {
    place
        .shopWith("CREATE SCHEMA other", ITEMS_OF.formatted("other."))
        .serve(
            "",
            (connections, transcript) -> {
              for (String change :
                  List.of(
                      "SET @X = 1",
                      "CREATE TABLE PUBLIC.fresh (id INT PRIMARY KEY)",
                      "DROP TABLE PUBLIC.fresh",
                      "CREATE LOCAL TEMPORARY TABLE own (id INT)")) {
                try (Connection connection = connections.open()) {
                  Databases databases = new Databases(place, false, "PUBLIC", "OTHER", change);
                  databases.change(connection, true, transcript);
                  databases.contents(connection, transcript);
                }
              }
            });
  }

  /** SQLite compiles a statement anew when an attached database has come or gone. */
  @OnEach(ServerKind.SQLITE)
  @DisplayName("33 batches, and what is executed otherwise: after another database was attached")
  void inAnotherAttachedDatabase(Place place) throws SQLException {
    String table = "CREATE TABLE %s.thing (id INT PRIMARY KEY, n INT)";
    place
        .shop()
        .run(
            (connection, transcript) -> {
              TestDatabase.execute(connection, "ATTACH ':memory:' AS one", table.formatted("one"));
              try (PreparedStatement insert =
                      connection.prepareStatement("INSERT INTO thing VALUES (?, 0)");
                  PreparedStatement update =
                      connection.prepareStatement("UPDATE thing SET n = n + 1 WHERE id >= ?");
                  PreparedStatement select =
                      connection.prepareStatement("SELECT * FROM thing WHERE id >= ?")) {
                for (String text :
                    List.of(
                        "ATTACH ':memory:' AS two; " + table.formatted("two"),
                        table.formatted("main"),
                        "DROP TABLE main.thing",
                        "DETACH one",
                        table.formatted("main"),
                        table.formatted("temp"),
                        "DROP TABLE temp.thing")) {
                  insert.setInt(1, 1);
                  insert.addBatch();
                  for (String one : text.split("; ")) {
                    transcript.step(one, () -> TestDatabase.execute(connection, one));
                  }
                  transcript.step(
                      "batch", () -> transcript.line(Arrays.toString(insert.executeBatch())));
                  insert.setInt(1, 2);
                  transcript.step("insert", () -> transcript.line("" + insert.executeUpdate()));
                  update.setInt(1, 2);
                  transcript.step("update", () -> transcript.line("" + update.executeUpdate()));
                  select.setInt(1, 1);
                  transcript.step("select", () -> transcript.rows(select.executeQuery()));
                  for (String in : List.of("main", "one", "two", "temp")) {
                    transcript.step(
                        in,
                        () -> {
                          try (Statement statement = connection.createStatement()) {
                            transcript.rows(
                                statement.executeQuery("SELECT id, n FROM " + in + ".thing"));
                          }
                        });
                  }
                }
              }
            });
  }

  /** What comes between the items and their execution. */
  private enum Between {
    NOTHING,
    STATEMENTS,
    COMMIT,
    ROLLBACK,
    AUTOCOMMIT_OFF,
    AUTOCOMMIT_ON
  }

  /** A value that was read from a stream cannot be set again with another token. */
  @OnEach(rewrittenOnly = true)
  @DisplayName("33 batches, and streams: recorded of the transaction that they were executed in")
  void sentInAnotherTransaction(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  for (Between between : Between.values()) {
                    for (int streamed : new int[] {0, 1, 3}) {
                      for (boolean undone : new boolean[] {false, true}) {
                        int first =
                            100 + 10 * (between.ordinal() * 8 + streamed * 2 + (undone ? 1 : 0));
                        batch(connection, transcript, between, streamed, first, undone);
                      }
                    }
                  }
                  try (Statement statement = connection.createStatement()) {
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                });
    List<Event.StatementExecuted> statements = watched.statements();
    Map<Long, Outcome> outcomes = new HashMap<>();
    watched
        .events(Event.TransactionEnded.class)
        .forEach(end -> outcomes.put(end.transaction(), end.outcome()));
    Event.StatementExecuted before = statements.get(0);
    for (Event.StatementExecuted statement : statements) {
      if (statement.sql().startsWith("SELECT qty")) {
        before = statement;
      }
      if (!statement.sql().contains("(name") && !statement.sql().contains("name =")) {
        continue;
      }
      if (before.sql().contains("id <= ")) {
        assertThat(statement.transaction()).as("%s", statement).isEqualTo(before.transaction());
        assertThat(outcomes.get(statement.transaction()))
            .isEqualTo(before.rows().size() == 2 ? Outcome.ABORTED : Outcome.COMMITTED);
      } else {
        assertThat(outcomes.get(statement.transaction())).isEqualTo(Outcome.COMMITTED);
      }
    }
    Event.StatementExecuted last = statements.get(statements.size() - 1);
    for (RowAccess read : last.rows()) {
      for (int i = 0; i < read.writers().size(); i++) {
        long transaction = read.writers().transaction(i);
        int number = read.writers().statement(i);
        if (outcomes.containsKey(transaction)) {
          assertThat(statements)
              .as("the writer %d of %s", i, read)
              .anyMatch(
                  s ->
                      s.transaction() == transaction
                          && s.statement() == number
                          && s.kind().mayWrite());
          assertThat(outcomes.get(transaction)).isEqualTo(Outcome.COMMITTED);
        }
      }
    }
  }

  /**
   * Three items of two batches, of which the first {@code streamed} ones, or the last one if it is
   * 3, are set from a stream.
   */
  private static void batch(
      Connection connection,
      Transcript transcript,
      Between between,
      int streamed,
      int first,
      boolean undone)
      throws SQLException {
    connection.setAutoCommit(between == Between.AUTOCOMMIT_OFF);
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO item (name, id, qty) VALUES (?, ?, 0)");
        PreparedStatement update =
            connection.prepareStatement("UPDATE item SET name = ?, qty = qty + 1 WHERE id = ?");
        Statement plain = connection.createStatement()) {
      for (int i = 0; i < 3; i++) {
        boolean stream = streamed == 3 ? i == 2 : i < streamed;
        for (PreparedStatement one : List.of(insert, update)) {
          String name = "n" + first + i;
          if (stream) {
            one.setCharacterStream(1, new StringReader(name), name.length());
          } else {
            one.setString(1, name);
          }
          one.setInt(2, one == update ? 1 : first + i);
          one.addBatch();
        }
      }
      switch (between) {
        case NOTHING -> {}
        case STATEMENTS, COMMIT, ROLLBACK -> {
          for (int i = 0; i < 5; i++) {
            plain.executeUpdate("UPDATE item SET qty = qty + 1 WHERE id = 2");
          }
          if (between == Between.COMMIT) {
            connection.commit();
          } else if (between == Between.ROLLBACK) {
            connection.rollback();
          }
        }
        case AUTOCOMMIT_OFF -> connection.setAutoCommit(false);
        case AUTOCOMMIT_ON -> connection.setAutoCommit(true);
      }
      if (!connection.getAutoCommit()) {
        String known = "SELECT qty FROM item WHERE id <= " + (undone ? 2 : 3) + " ORDER BY id";
        transcript.rows(plain.executeQuery(known));
      }
      transcript.step("insert", () -> transcript.line(Arrays.toString(insert.executeBatch())));
      transcript.step("update", () -> transcript.line(Arrays.toString(update.executeBatch())));
      if (!connection.getAutoCommit()) {
        if (undone) {
          connection.rollback();
        } else {
          connection.commit();
        }
        connection.setAutoCommit(true);
      }
      transcript.rows(plain.executeQuery("SELECT qty FROM item WHERE id = 3"));
    }
  }

  private static final String ITEMS_OF =
      "CREATE TABLE %sitem (id INT PRIMARY KEY, name VARCHAR(20), qty INT)";

  private static String databaseWithItems(Place place) throws SQLException {
    try (Connection raw = DriverManager.getConnection(TestServers.freshDatabase(place.kind()))) {
      TestDatabase.execute(raw, ITEMS_OF.formatted(""));
      return raw.getCatalog();
    }
  }

  /**
   * Two databases, or schemas, between which a session changes.
   *
   * @param byText true if it does so by a statement, false if by a method of the connection
   * @param then what is executed in the second one first; empty if nothing is
   */
  private record Databases(Place place, boolean byText, String first, String second, String then) {

    void use(Connection connection, String name) throws SQLException {
      if (byText) {
        String text =
            place.isMySqlLike()
                ? "USE "
                : place.is(ServerKind.H2) ? "SET SCHEMA " : "SET search_path = ";
        TestDatabase.execute(connection, text + name);
      } else if (place.isMySqlLike()) {
        connection.setCatalog(name);
      } else {
        connection.setSchema(name);
      }
    }

    /** The statements are made in the first one, and executed in the second one. */
    void change(Connection connection, boolean executed, Transcript transcript)
        throws SQLException {
      use(connection, first);
      try (PreparedStatement insert =
              connection.prepareStatement("INSERT INTO item VALUES (?, 'x', 0)");
          PreparedStatement batch =
              connection.prepareStatement("INSERT INTO item VALUES (?, 'b', 0)");
          PreparedStatement update =
              connection.prepareStatement("UPDATE item SET qty = qty + 1 WHERE id >= ?");
          PreparedStatement select =
              connection.prepareStatement("SELECT name, qty FROM item WHERE id >= ? ORDER BY id");
          Statement plain = connection.createStatement();
          Statement texts = connection.createStatement()) {
        if (executed) {
          insert.setInt(1, 10);
          transcript.line("before " + insert.executeUpdate());
          update.setInt(1, 10);
          transcript.line("before " + update.executeUpdate());
          select.setInt(1, 10);
          transcript.rows(select.executeQuery());
        }
        batch.setInt(1, 11);
        batch.addBatch();
        texts.addBatch("INSERT INTO item VALUES (20, 't', 0)");
        use(connection, second);
        if (!then.isEmpty()) {
          TestDatabase.execute(connection, then);
        }
        batch.setInt(1, 12);
        batch.addBatch();
        transcript.step("batch", () -> transcript.line(Arrays.toString(batch.executeBatch())));
        transcript.step("texts", () -> transcript.line(Arrays.toString(texts.executeBatch())));
        for (int id = 13; id <= 14; id++) {
          insert.setInt(1, id);
          transcript.step("insert", () -> transcript.line("insert " + insert.executeUpdate()));
        }
        update.setInt(1, 10);
        transcript.step("update", () -> transcript.line("update " + update.executeUpdate()));
        select.setInt(1, 10);
        transcript.step("select", () -> transcript.rows(select.executeQuery()));
        transcript.step(
            "plain",
            () ->
                transcript.line(
                    "plain " + plain.executeUpdate("INSERT INTO item VALUES (30, 'p', 0)")));
        insert.setInt(1, 40);
        insert.addBatch();
        transcript.step("batched", () -> transcript.line(Arrays.toString(insert.executeBatch())));
      }
    }

    /** What is in each, which is taken out again. */
    void contents(Connection connection, Transcript transcript) throws SQLException {
      for (String name : List.of(first, second)) {
        use(connection, name);
        try (Statement statement = connection.createStatement()) {
          String items = name + ".item";
          transcript.line(name.equals(first) ? "in the first" : "in the second");
          try (ResultSet rows =
              statement.executeQuery(
                  "SELECT id, name, qty FROM " + items + " WHERE id >= 10 ORDER BY id")) {
            while (rows.next()) {
              transcript.line(rows.getInt(1) + " " + rows.getString(2) + " " + rows.getInt(3));
            }
          }
          statement.executeUpdate("DELETE FROM " + items + " WHERE id >= 10");
        }
      }
    }
  }

  /** Raw, they are open until the next execution. */
  @OnEach({ServerKind.MYSQL, ServerKind.MARIADB, ServerKind.H2, ServerKind.POSTGRESQL})
  @DisplayName("33 batches, and streams: what the last execution gave is read while they are set")
  void resultsOfTheLastExecution(Place place) throws SQLException {
    String id = place.isMySqlLike() ? "INT AUTO_INCREMENT" : "INT GENERATED BY DEFAULT AS IDENTITY";
    place
        .of(
            "CREATE TABLE numbered (id %s PRIMARY KEY, a VARCHAR(20))".formatted(id),
            "INSERT INTO numbered (a) VALUES ('a'), ('b'), ('c')")
        .run(
            (connection, transcript) -> {
              for (boolean stream : new boolean[] {true, false}) {
                for (boolean late : new boolean[] {true, false}) {
                  for (String sql :
                      List.of(
                          "INSERT INTO numbered (a) VALUES (?)",
                          "SELECT id, a FROM numbered WHERE a < ? ORDER BY id")) {
                    transcript.step(
                        sql + ", stream " + stream + ", late " + late,
                        () -> readWhileSetting(connection, transcript, sql, stream, late));
                  }
                }
              }
            });
  }

  private static void readWhileSetting(
      Connection connection, Transcript transcript, String sql, boolean stream, boolean late)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      statement.setString(1, "f");
      boolean rows = statement.execute();
      ResultSet early = rows ? statement.getResultSet() : statement.getGeneratedKeys();
      if (stream) {
        statement.setCharacterStream(1, new StringReader("g"), 1);
      } else {
        statement.setString(1, "g");
        statement.addBatch();
      }
      transcript.line("count " + statement.getUpdateCount());
      transcript.warnings(statement.getWarnings());
      ResultSet read =
          late ? (rows ? statement.getResultSet() : statement.getGeneratedKeys()) : early;
      while (read.next()) {
        transcript.line("read " + read.getInt(1));
      }
      transcript.line("more " + statement.getMoreResults() + " " + statement.getUpdateCount());
      if (!stream) {
        statement.clearBatch();
        statement.setString(1, "g");
      }
      transcript.line("executed " + statement.execute());
    }
  }

  /** So that the first item of a batch may be sent in another way than the second. */
  private static void lockFirst(Connection connection, Place place) throws SQLException {
    String lock = place.is(ServerKind.SQLITE) ? "" : " FOR UPDATE";
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT n FROM moment WHERE id = 1" + lock)) {
      row.next();
    }
  }

  /** Objects that an application has, and sets once and again. */
  private static final class Changing {
    private static final long DAY = 86_400_000;

    private final Timestamp t = new Timestamp(0);
    private final Timestamp c = new Timestamp(0);
    private final Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    private final Date d = new Date(0);
    private final Time k = new Time(0);
    private final Timestamp o = new Timestamp(0);
    private final byte[] b = new byte[1];

    Changing() {
      change(1);
    }

    void change(int to) {
      for (java.util.Date one : List.of(t, c, d, k, o)) {
        one.setTime(to * DAY + to * 1_000L);
      }
      utc.setTimeZone(TimeZone.getTimeZone("GMT+" + to % 10));
      b[0] = (byte) to;
    }

    void setTo(PreparedStatement statement, int id) throws SQLException {
      statement.setTimestamp(1, t);
      statement.setTimestamp(2, c, utc);
      statement.setDate(3, d);
      statement.setTime(4, k);
      statement.setObject(5, o);
      statement.setBytes(6, b);
      statement.setInt(7, id);
    }

    void contents(Connection connection, Transcript transcript) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery("SELECT t, c, d, k, o, b FROM moment ORDER BY id")) {
        while (rows.next()) {
          StringBuilder row = new StringBuilder("row");
          for (int i = 1; i <= 5; i++) {
            row.append(" | ").append(rows.getString(i));
          }
          transcript.line(row + " | " + Arrays.toString(rows.getBytes(6)));
        }
      }
    }
  }
}
