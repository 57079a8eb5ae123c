package io.txwatch.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.RecordedValue;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Of large tables the rows are copied that statements may choose. */
class TableCopierTest {

  private static final int SMALL_GROUP = 200;
  private static final int LARGE_GROUP = 1_100;

  /** Rows that a computed key may choose are copied, unless they are too many. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void copiesWhatAComputedKeyMayChoose(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE parent (id INT PRIMARY KEY)");
      statement.execute(
          "CREATE TABLE line (id INT PRIMARY KEY, grp INT, parent INT,"
              + " FOREIGN KEY (parent) REFERENCES parent (id))");
      statement.execute("INSERT INTO parent VALUES " + rows(0, 300, "(%1$d)"));
      statement.execute("INSERT INTO line VALUES (5000, 7, 250)");
      statement.execute("INSERT INTO line VALUES " + rows(0, SMALL_GROUP, "(%1$d, 8, %1$d)"));
      statement.execute("INSERT INTO line VALUES " + rows(1000, LARGE_GROUP, "(%1$d, 9, NULL)"));

      List<TableCopy> copies =
          new TableCopier(DbmsRegistry.connect(url, DriverManager::getConnection), connection)
              .copy(
                  Map.of("line", List.of(Map.of("id", RecordedValue.of(5000)))),
                  Map.of("line", List.of(group(9), group(8))));

      assertThat(copies).hasSize(2);
      assertThat(copies.get(1).rows())
          .as("the row that is chosen, and the smaller group")
          .hasSize(1 + SMALL_GROUP);
      assertThat(copies.get(0).rows()).as("what they refer to").hasSize(1 + SMALL_GROUP);
    }
  }

  /** Of the rows that a statement may choose those at both ends, if they are too many. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void copiesTheEndsOfALargeQueue(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE queue (grp INT, id INT, PRIMARY KEY (grp, id))");
      statement.execute("CREATE TABLE log (grp INT)");
      statement.execute("INSERT INTO queue VALUES " + rows(0, LARGE_GROUP, "(7, %1$d)"));
      statement.execute("INSERT INTO queue VALUES (8, 5)");
      statement.execute("INSERT INTO log VALUES " + rows(0, LARGE_GROUP, "(%1$d)"));
      TableCopier copier =
          new TableCopier(DbmsRegistry.connect(url, DriverManager::getConnection), connection);

      TableCopy queue = copier.copy(Map.of("queue", List.of(group(7), group(8))), Map.of()).get(0);

      String id = queue.columns().get(1);
      assertThat(queue.rows().stream().map(row -> Objects.requireNonNull(row.get(id)).text()))
          .containsExactly(
              "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "1099", "1098", "1097", "1096",
              "1095", "1094", "1093", "1092", "1091", "1090", "5");
      assertThat(queue.isInPart()).isTrue();
      assertThatThrownBy(() -> copier.copy(Map.of("log", List.of(Map.of())), Map.of()))
          .as("there is no key to order by")
          .hasMessageContaining("more than 1000");
    }
  }

  private static Map<String, RecordedValue> group(int number) {
    return Map.of("grp", RecordedValue.of(number));
  }

  private static String rows(int first, int count, String format) {
    return IntStream.range(first, first + count)
        .mapToObj(n -> format.replace("%1$d", String.valueOf(n)))
        .collect(Collectors.joining(", "));
  }
}
