package io.txwatch.jdbc.changes.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Real SQLite: the rows that a watched connection writes, compared with what its tables show. */
class ListenedWritesTest {

  private static final ValueHash HASH = ValueHash.ofThisProcess();
  private static final List<String> TABLES = List.of("item", "line", "total", "word");

  private static final List<String> SCHEMA =
      List.of(
          "CREATE TABLE item (id INTEGER PRIMARY KEY, n INT, s TEXT)",
          "CREATE TABLE line (id INTEGER PRIMARY KEY, n INT,"
              + " item INT REFERENCES item (id) ON DELETE CASCADE)",
          "CREATE TABLE total (id INTEGER PRIMARY KEY, n INT)",
          "CREATE TABLE word (id INT PRIMARY KEY, n INT) WITHOUT ROWID",
          "CREATE TABLE note (id INTEGER PRIMARY KEY, n INT)",
          "CREATE TRIGGER counted AFTER INSERT ON note BEGIN"
              + " UPDATE total SET n = n + 1 WHERE id = new.n % 4;"
              + " DELETE FROM line WHERE n = new.n;"
              + " INSERT INTO total (n) SELECT new.n WHERE new.n > 6; END",
          "CREATE TRIGGER emptied AFTER DELETE ON note BEGIN DELETE FROM total; END",
          "INSERT INTO item VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 1, 'c'), (4, 2, 'd')",
          "INSERT INTO line VALUES (1, 1, 1), (2, 2, 2), (3, 3, 1), (4, 4, 4)",
          "INSERT INTO total VALUES (0, 0), (1, 0), (2, 0)",
          "INSERT INTO word VALUES (1, 1), (2, 1)");

  /** A is a number, T a table, V a value. */
  private static final List<String> SHAPES =
      List.of(
          "UPDATE T SET n = V WHERE id = A",
          "UPDATE T SET n = n + V WHERE n = A",
          "UPDATE T SET n = n",
          "UPDATE T SET n = V WHERE n = A RETURNING id, n",
          "INSERT INTO T (id, n) VALUES (A, V) ON CONFLICT (id) DO UPDATE SET n = V",
          "INSERT INTO T (id, n) VALUES (A, V), (A + 1, V) ON CONFLICT DO NOTHING",
          "INSERT OR IGNORE INTO T (id, n) VALUES (A, V)",
          "INSERT INTO T (id, n) VALUES (A, V)",
          "INSERT OR FAIL INTO T (id, n) VALUES (A + 3, V), (A, V)",
          "REPLACE INTO T (id, n) VALUES (A, V)",
          "INSERT INTO T (id, n) SELECT id + 10, n FROM item WHERE n = A ON CONFLICT DO NOTHING",
          "DELETE FROM T WHERE id = A",
          "DELETE FROM T WHERE n = A",
          "DELETE FROM item WHERE n = A AND id > 2 RETURNING id",
          "DELETE FROM total",
          "INSERT INTO note (n) VALUES (V)",
          "INSERT INTO note (n) SELECT n FROM T",
          "DELETE FROM note WHERE n = V",
          "WITH c AS (SELECT id FROM T WHERE n = A) UPDATE item SET n = V WHERE id IN c");

  private static Map<String, Map<Long, String>> rows(Connection raw) throws SQLException {
    Map<String, Map<Long, String>> all = new TreeMap<>();
    try (Statement statement = raw.createStatement()) {
      for (String table : TABLES) {
        Map<Long, String> rows = new TreeMap<>();
        try (ResultSet result = statement.executeQuery("SELECT id, n FROM " + table)) {
          while (result.next()) {
            rows.put(result.getLong(1), String.valueOf(result.getString(2)));
          }
        }
        all.put(table, rows);
      }
    }
    return all;
  }

  /** Where all rows are known, none is missing, and each was written in the way that it shows. */
  @Property(tries = 8)
  void eachRowThatChangedIsKnown(@ForAll long seed) throws SQLException {
    Random random = new Random(seed);
    TestDatabase database =
        TestDatabase.at(
            ServerKind.SQLITE,
            TestServers.freshDatabase(ServerKind.SQLITE)
                + "?foreign_keys=true&synchronous=OFF&journal_mode=WAL",
            SCHEMA);
    int seen = 0;
    int complete = 0;
    try (Connection raw = database.raw();
        Connection watched =
            database.watched(database.raw(), Settings.of(Map.of(Setting.VERSIONS, "statements")));
        Statement statement = watched.createStatement()) {
      for (int i = 0; i < 40; i++) {
        Map<String, Map<Long, String>> before = rows(raw);
        List<String> texts = new ArrayList<>();
        for (int n = random.nextInt(4) == 0 ? 3 : 1; n > 0; n--) {
          texts.add(
              SHAPES
                  .get(random.nextInt(SHAPES.size()))
                  .replaceAll("\\bT\\b", TABLES.get(random.nextInt(TABLES.size())))
                  .replaceAll("\\bA\\b", Integer.toString(1 + random.nextInt(5)))
                  .replaceAll("\\bV\\b", Integer.toString(random.nextInt(9))));
        }
        boolean failed = !execute(statement, texts);
        List<Event.ValuesObserved> events = database.events(Event.ValuesObserved.class);
        List<StatedWrite> writes = new ArrayList<>();
        boolean isComplete = !failed;
        for (Event.ValuesObserved event : events.subList(seen, events.size())) {
          writes.addAll(event.writes());
          isComplete &= !event.writes().isEmpty();
        }
        seen = events.size();
        if (isComplete) {
          complete++;
          if (texts.size() == 1) { // of a batch, triggers may have written more
            check(texts.get(0), before, rows(raw), writes);
          }
        }
      }
    }
    assertThat(complete).isGreaterThan(20);
  }

  /** False if it failed. */
  private static boolean execute(Statement statement, List<String> texts) {
    try {
      if (texts.size() == 1) {
        if (statement.execute(texts.get(0))) {
          try (ResultSet result = statement.getResultSet()) {
            while (result.next()) {
              result.getLong(1);
            }
          }
        }
      } else {
        for (String text : texts) {
          if (!text.contains("RETURNING")) {
            statement.addBatch(text);
          }
        }
        statement.executeBatch();
      }
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private static void check(
      String text,
      Map<String, Map<Long, String>> before,
      Map<String, Map<Long, String>> after,
      List<StatedWrite> writes) {
    for (String table : TABLES) {
      List<StatedWrite> ofTable =
          writes.stream().filter(write -> write.rows().table().equals(table)).toList();
      if (ofTable.stream().anyMatch(write -> !write.complete())) {
        continue;
      }
      Set<Long> known = new HashSet<>();
      ofTable.forEach(
          write -> {
            for (long key : write.rows().keys()) {
              known.add(key);
            }
          });
      Map<Long, String> rowsBefore = before.getOrDefault(table, Map.of());
      Map<Long, String> rowsAfter = after.getOrDefault(table, Map.of());
      Set<Long> ids = new HashSet<>(rowsBefore.keySet());
      ids.addAll(rowsAfter.keySet());
      for (long id : ids) {
        String was = rowsBefore.get(id);
        String is = rowsAfter.get(id);
        if (was == null || !was.equals(is)) {
          assertThat(known).as("%s: %s %d", text, table, id).contains(HASH.ofKey(id));
        }
        for (StatedWrite write : ofTable) {
          for (long key : write.rows().keys()) {
            if (key == HASH.ofKey(id)) {
              assertThat(write.access())
                  .as("%s: %s %d", text, table, id)
                  .isEqualTo(
                      was == null && !text.startsWith("REPLACE")
                          ? Access.INSERT
                          : is == null ? Access.DELETE : Access.UPDATE);
            }
          }
        }
      }
    }
  }
}
