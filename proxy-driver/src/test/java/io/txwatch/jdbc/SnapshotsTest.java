package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.VersionSet;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules of {@link io.txwatch.capture.SnapshotRules} held against the real servers: somebody
 * else commits between a statement and the read beside it, at each level, inside a transaction and
 * under autocommit. What is called certain must then be just what the statement itself returns; and
 * what a statement alone would not fix or lock must not be fixed or locked.
 */
class SnapshotsTest {

  private static final String APPLICATION = "SELECT id, balance FROM account";

  /** A level, and whether there is a transaction. */
  private record Mode(ServerKind kind, int level, boolean transaction, boolean readBefore) {
    @Override
    public String toString() {
      return kind
          + (transaction ? " level " + level : " level " + level + ", autocommit")
          + (readBefore ? ", after another read" : "");
    }
  }

  private static Stream<Mode> modes() {
    List<Mode> modes = new ArrayList<>();
    kinds()
        .forEach(
            kind -> {
              for (int level : levels(kind)) {
                modes.add(new Mode(kind, level, true, false));
                modes.add(new Mode(kind, level, true, true));
                modes.add(new Mode(kind, level, false, false));
              }
            });
    return modes.stream();
  }

  /** Reads the versions of all accounts. */
  private static String versions(ServerKind kind) {
    return kind == ServerKind.POSTGRESQL
        ? "SELECT id, xmin::text FROM account"
        : "SELECT txw_rid, txw_wl FROM account";
  }

  private static int[] levels(ServerKind kind) {
    return switch (kind) {
      case POSTGRESQL -> new int[] {2, 4, 8};
      case H2 -> new int[] {2, 4, 6, 8};
      case SQLITE -> new int[0];
      case MYSQL, MARIADB -> new int[] {1, 2, 4, 8};
    };
  }

  private static TestDatabase bank(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "CREATE TABLE other (id INT PRIMARY KEY, balance INT)",
        "INSERT INTO account VALUES (1, 100)",
        "INSERT INTO account VALUES (2, 200)",
        "INSERT INTO other VALUES (1, 100)");
  }

  @TestFactory
  Stream<DynamicTest> certainReadsEqualTheRowsOfTheStatement() {
    return modes()
        .map(
            mode ->
                DynamicTest.dynamicTest(
                    mode.toString(), () -> certainReadsEqualTheRowsOfTheStatement(mode)));
  }

  private static void certainReadsEqualTheRowsOfTheStatement(Mode mode) throws SQLException {
    TestDatabase bank = bank(mode.kind());
    Beside beside =
        new Beside()
            .plan(APPLICATION, Purpose.READ, Moment.BEFORE, "beside", versions(mode.kind()))
            .plan(APPLICATION, Purpose.VERSION_SET, Moment.BEFORE, "set", versions(mode.kind()));
    Between between = new Between(sql -> sql.contains("id, balance"));
    try (Connection connection = bank.watched(between.around(bank.raw()), beside, Map.of());
        Connection others = bank.watched();
        Statement statement = connection.createStatement();
        Statement other = others.createStatement()) {
      connection.setTransactionIsolation(mode.level());
      connection.setAutoCommit(!mode.transaction());
      if (mode.readBefore()) {
        readAll(statement, "SELECT id FROM account");
      }
      boolean blocks =
          mode.level() == 8
              && mode.transaction()
              && mode.readBefore()
              && (mode.kind() == ServerKind.MYSQL || mode.kind() == ServerKind.MARIADB);
      if (!blocks) {
        between.once(
            () -> {
              other.executeUpdate("UPDATE account SET balance = balance + 1 WHERE id = 1");
              other.executeUpdate("INSERT INTO account (id, balance) VALUES (3, 300)");
            });
      }
      readAll(statement, APPLICATION);
      if (mode.transaction()) {
        connection.commit();
      }
    }
    Event.StatementExecuted read =
        bank.statements().stream()
            .filter(s -> s.sql().startsWith(APPLICATION))
            .findFirst()
            .orElseThrow();
    Map<Long, String> itself = versions(read, "account");
    Map<Long, String> side = versions(read, "beside");
    boolean certain =
        read.rows().stream().filter(r -> r.table().equals("beside")).allMatch(RowAccess::certain);
    if (!side.isEmpty() && certain) {
      assertThat(side).isEqualTo(itself);
    }
    for (VersionSet set : read.versionSets()) {
      if (set.certain()) {
        assertThat(Arrays.stream(set.rows()).boxed())
            .containsExactlyInAnyOrderElementsOf(itself.keySet());
      }
    }
    // What they are called is not only safe, it is as much as can be said.
    boolean held = mode.transaction() && mode.level() >= 4;
    boolean never =
        mode.level() == 8
            && (mode.kind() == ServerKind.POSTGRESQL
                || (mode.transaction() && mode.kind() != ServerKind.H2));
    assertThat(side.isEmpty()).isEqualTo(never);
    assertThat(read.versionSets()).hasSize(never ? 0 : 1);
    if (!never) {
      assertThat(certain).isEqualTo(held);
      assertThat(read.versionSets().get(0).certain()).isEqualTo(held);
      assertThat(side.equals(itself)).isEqualTo(held);
    }
  }

  private static Map<Long, String> versions(Event.StatementExecuted statement, String table) {
    Map<Long, String> versions = new TreeMap<>();
    for (RowAccess row : statement.rows()) {
      if (row.table().equalsIgnoreCase(table)) {
        versions.put(row.row(), row.writers().tokens());
      }
    }
    return versions;
  }

  private static List<String> readAll(Statement statement, String sql) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        lines.add(rows.getString(1));
      }
    }
    return lines;
  }

  // ---------------------------------------------------------------- snapshots that are not ours

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds(); // SQLite is watched by value, without reads of ours
  }

  /**
   * A transaction whose first statement writes, and has a read before it and one after it planned:
   * what it then sees of another table must be as new as it would be without them.
   */
  @ParameterizedTest
  @MethodSource("kinds")
  void writesTakeNoSnapshotOfOurs(ServerKind kind) throws SQLException {
    List<List<String>> recorded = new ArrayList<>();
    for (boolean watched : new boolean[] {false, true}) {
      TestDatabase bank = bank(kind);
      Beside beside =
          new Beside()
              .withoutReturning()
              .plan("UPDATE", Purpose.VERSION_SET, Moment.BEFORE, "account", versions(kind))
              .plan(
                  "UPDATE",
                  Purpose.AFTER_WRITE,
                  Moment.AFTER,
                  "account",
                  versions(kind)
                      + (kind == ServerKind.POSTGRESQL
                          ? " WHERE xmin::text <> ?"
                          : " WHERE txw_wl = ?"),
                  0);
      List<String> lines = new ArrayList<>();
      for (int level : levels(kind)) {
        try (Connection connection = watched ? bank.watched(beside) : bank.raw();
            Connection others = bank.raw();
            Statement statement = connection.createStatement()) {
          connection.setTransactionIsolation(level);
          connection.setAutoCommit(false);
          lines.add("" + statement.executeUpdate("UPDATE account SET balance = 5 WHERE id = 1"));
          TestDatabase.execute(others, "UPDATE other SET balance = balance + 1");
          lines.addAll(readAll(statement, "SELECT balance FROM other"));
          connection.commit();
        }
      }
      recorded.add(lines);
    }
    assertThat(recorded.get(1)).isEqualTo(recorded.get(0));
  }

  /** PostgreSQL's SERIALIZABLE: a read of the whole table would make others fail. */
  @org.junit.jupiter.api.Test
  void nobodyFailsForOurReads() throws SQLException {
    TestDatabase bank = bank(ServerKind.POSTGRESQL);
    Beside beside =
        new Beside()
            .plan(
                "SELECT",
                Purpose.VERSION_SET,
                Moment.BEFORE,
                "account",
                versions(ServerKind.POSTGRESQL));
    try (Connection one = bank.watched(beside);
        Connection two = bank.watched(beside);
        Statement first = one.createStatement();
        Statement second = two.createStatement()) {
      for (Connection connection : List.of(one, two)) {
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.setAutoCommit(false);
      }
      first.execute("SET LOCAL enable_seqscan = off");
      second.execute("SET LOCAL enable_seqscan = off");
      readAll(first, "SELECT balance FROM account WHERE id = 1");
      readAll(second, "SELECT balance FROM other WHERE id = 1");
      first.executeUpdate("UPDATE other SET balance = 0 WHERE id = 99");
      second.executeUpdate("UPDATE account SET balance = 0 WHERE id = 2");
      one.commit();
      two.commit();
    }
    assertThat(bank.events(Event.TransactionEnded.class)).hasSize(2);
  }

  /** H2's REPEATABLE READ: tables that a statement names at once have one snapshot. */
  @org.junit.jupiter.api.Test
  void tablesThatAreNamedTogetherKeepTogether() throws SQLException {
    TestDatabase bank = bank(ServerKind.H2);
    String join = "SELECT a.balance + o.balance FROM account a, other o WHERE a.id = 1";
    Beside beside =
        new Beside()
            .plan(
                "SELECT a.",
                Purpose.VERSION_SET,
                Moment.BEFORE,
                "account",
                "SELECT txw_rid, txw_wl FROM account")
            .plan(
                "SELECT a.",
                Purpose.VERSION_SET,
                Moment.BEFORE,
                "other",
                "SELECT txw_rid, txw_wl FROM other");
    Between between = new Between(sql -> sql.contains("FROM other"));
    try (Connection connection = bank.watched(between.around(bank.raw()), beside, Map.of());
        Connection others = bank.raw();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      others.setAutoCommit(false);
      between.once(
          () -> {
            TestDatabase.execute(
                others,
                "UPDATE account SET balance = balance - 50",
                "UPDATE other SET balance = balance + 50");
            others.commit();
          });
      assertThat(readAll(statement, join)).containsExactly("200");
      connection.commit();
    }
    assertThat(bank.statements().get(0).versionSets()).hasSize(2).allMatch(VersionSet::certain);
  }
}
