package io.txwatch.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.RecordedValue;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
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

  private static Map<String, RecordedValue> group(int number) {
    return Map.of("grp", RecordedValue.of(number));
  }

  private static String rows(int first, int count, String format) {
    return IntStream.range(first, first + count)
        .mapToObj(n -> format.replace("%1$d", String.valueOf(n)))
        .collect(Collectors.joining(", "));
  }
}
