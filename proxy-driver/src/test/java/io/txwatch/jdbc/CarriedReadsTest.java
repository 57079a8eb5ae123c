package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** At level inline, a result's own rows carry what the query has read besides. */
class CarriedReadsTest {

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  private static boolean isMySql(ServerKind kind) {
    return kind == ServerKind.MYSQL || kind == ServerKind.MARIADB;
  }

  /** Four accounts of two branches, and two items. */
  private static TestDatabase bank(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, branch INT, balance INT)",
        "CREATE TABLE item (id INT PRIMARY KEY, account_id INT)",
        "INSERT INTO account VALUES (1, 1, 100)",
        "INSERT INTO account VALUES (2, 1, 200)",
        "INSERT INTO account VALUES (3, 2, 200)",
        "INSERT INTO account VALUES (4, 2, 400)",
        "INSERT INTO item VALUES (7, 1)",
        "INSERT INTO item VALUES (8, 3)");
  }

  private static List<String> rows(Statement statement, String sql) throws SQLException {
    try (ResultSet result = statement.executeQuery(sql)) {
      return rows(result);
    }
  }

  private static List<String> rows(ResultSet result) throws SQLException {
    List<String> rows = new ArrayList<>();
    int columns = result.getMetaData().getColumnCount();
    while (result.next()) {
      StringBuilder row = new StringBuilder();
      for (int i = 1; i <= columns; i++) {
        row.append(i == 1 ? "" : " ").append(result.getString(i));
      }
      rows.add(row.toString());
    }
    return rows;
  }

  /** {@code account 3 item 2}: how many rows of each table a statement has read, all certain. */
  private static String read(Event.StatementExecuted statement) {
    StringBuilder read = new StringBuilder();
    for (String table : List.of("account", "item")) {
      List<RowAccess> rows =
          statement.rows().stream()
              .filter(row -> row.table().toLowerCase(java.util.Locale.ROOT).endsWith(table))
              .toList();
      assertThat(rows).allMatch(row -> row.access() == Access.READ).allMatch(RowAccess::certain);
      long distinct = rows.stream().map(RowAccess::row).distinct().count();
      read.append(read.isEmpty() ? "" : " ").append(table).append(' ').append(distinct);
    }
    return read.toString();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void queryCarriesTheReadsOfItsSubqueries(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    String[][] cases = {
      {
        "SELECT id FROM account WHERE id IN (SELECT account_id FROM item) ORDER BY id",
        "1|3",
        "account 2 item 2"
      },
      {
        "SELECT DISTINCT balance FROM account WHERE branch = 1 ORDER BY balance",
        "100|200",
        "account 2 item 0"
      },
      {
        "SELECT id FROM account WHERE id > 2 UNION SELECT id FROM item ORDER BY id",
        "3|4|7|8",
        "account 2 item 2"
      },
      {
        "SELECT branch, count(*) FROM account WHERE balance > 100 GROUP BY branch ORDER BY branch",
        "1 1|2 2",
        "account 3 item 0"
      },
      {
        "SELECT (SELECT max(balance) FROM account), (SELECT count(*) FROM item)",
        "400 2",
        "account 4 item 2"
      },
      {
        "SELECT id, (SELECT count(*) FROM item i WHERE i.account_id = a.id) AS n FROM account a"
            + " WHERE a.id < 3 ORDER BY id",
        "1 1|2 0",
        "account 2 item 1"
      },
      {
        "SELECT id FROM account WHERE balance = (SELECT max(balance) FROM account)",
        "4",
        "account 4 item 0"
      },
      {
        "WITH q AS (SELECT DISTINCT account_id AS k FROM item) SELECT count(*) FROM q",
        "2",
        "account 0 item 2"
      },
      {
        "SELECT d.n FROM (SELECT count(*) AS n FROM account WHERE branch = 2) d",
        "2",
        "account 2 item 0"
      },
    };
    try (Connection connection = bank.watched();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String[] one : cases) {
        assertThat(rows(statement, one[0]))
            .describedAs(one[0])
            .containsExactly(one[1].split("\\|"));
        assertThat((Object) statement.getWarnings()).isNull();
      }
      connection.commit();
    }
    assertThat(bank.statements()).hasSize(cases.length);
    for (int i = 0; i < cases.length; i++) {
      assertThat(read(bank.statements().get(i))).describedAs(cases[i][0]).isEqualTo(cases[i][2]);
    }
    assertThat(bank.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void parametersAreUsedAgainInCarriedReads(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT ? AS k, id FROM account WHERE id < ? AND branch IN"
                    + " (SELECT x.branch FROM account x WHERE x.balance > ?) ORDER BY id")) {
      connection.setAutoCommit(false);
      assertThat(query.getParameterMetaData().getParameterCount()).isEqualTo(3);
      for (int bound : new int[] {300, 150}) {
        query.setString(1, "k");
        query.setInt(2, 4);
        query.setInt(3, bound);
        try (ResultSet result = query.executeQuery()) {
          assertThat(rows(result)).hasSize(bound == 300 ? 1 : 3);
        }
      }
      query.setCharacterStream(1, new StringReader("k"));
      try (ResultSet result = query.executeQuery()) {
        assertThat(rows(result)).hasSize(3);
      }
      connection.commit();
    }
    boolean carries = !isMySql(kind); // which would warn if a parameter were of another kind
    List<Event.StatementExecuted> statements = bank.statements();
    assertThat(read(statements.get(0))).isEqualTo("account " + (carries ? 2 : 1) + " item 0");
    assertThat(read(statements.get(1))).isEqualTo("account " + (carries ? 4 : 3) + " item 0");
    assertThat(bank.events(Event.Gap.class)).hasSize(carries ? 1 : 3);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void queryWithoutRowsCarriesNoRead(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched();
        Statement statement = connection.createStatement()) {
      String nobody = "SELECT id FROM account WHERE id > 9 AND id IN (SELECT account_id FROM item)";
      assertThat(rows(statement, nobody)).isEmpty();
      assertThat(rows(statement, "SELECT DISTINCT balance FROM account WHERE id > 9")).isEmpty();
    }
    // Which order another column would bring equal rows in is PostgreSQL's affair.
    boolean unordered = kind == ServerKind.POSTGRESQL;
    assertThat(bank.events(Event.Gap.class)).hasSize(unordered ? 2 : 1);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void queriesWhoseReadsLockCarryNoRead(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    String query = "SELECT id FROM account WHERE id IN (SELECT account_id FROM item) ORDER BY id";
    try (Connection connection = bank.watched();
        PreparedStatement prepared = connection.prepareStatement(query);
        Statement plain = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      try (ResultSet result = prepared.executeQuery()) {
        assertThat(rows(result)).containsExactly("1", "3");
      }
      assertThat(rows(plain, query)).containsExactly("1", "3");
      connection.commit();
    }
    boolean locks = isMySql(kind) || kind == ServerKind.POSTGRESQL;
    for (Event.StatementExecuted statement : bank.statements()) {
      assertThat(read(statement)).isEqualTo("account 2 item " + (locks ? 0 : 2));
    }
    assertThat(bank.events(Event.Gap.class))
        .hasSize(locks ? 2 : 0)
        .allMatch(gap -> gap.reason() == GapReason.SHAPE);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void writeCarriesTheReadsOfItsSubqueries(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertThat(
              statement.executeUpdate(
                  "UPDATE account SET balance = 0 WHERE id IN (SELECT account_id FROM item)"))
          .isEqualTo(2);
      assertThat(statement.executeUpdate("INSERT INTO item SELECT id, branch FROM account"))
          .isEqualTo(4);
      connection.commit();
    }
    boolean returns = !isMySql(kind);
    List<Event.StatementExecuted> statements = bank.statements();
    assertThat(reads(statements.get(0))).isEqualTo(returns ? 2 : 0);
    assertThat(reads(statements.get(1))).isEqualTo(returns ? 4 : 0);
  }

  private static long reads(Event.StatementExecuted statement) {
    return statement.rows().stream().filter(row -> row.access() == Access.READ).count();
  }
}
