package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;

/** Statements that are as large as the DBMS or its driver takes them. */
class LimitsTest {

  /** How many parameters a statement may have. */
  private static int maxParameters(Place place) {
    return switch (place.kind()) {
      case SQLITE -> 32_766;
      case H2 -> 100_000;
      default -> 65_535;
    };
  }

  /** How many columns a query may have. */
  private static int maxColumns(Place place) {
    return switch (place.kind()) {
      case POSTGRESQL -> 1_664;
      case MYSQL, MARIADB -> 4_096;
      case SQLITE -> 2_000;
      case H2 -> 16_384;
    };
  }

  @OnEach
  @DisplayName("60 as many parameters as there may be, and a few less, in an INSERT of many rows")
  void parameters(Place place) throws SQLException {
    String parameters = place.isMySqlLike() ? "useServerPrepStmts=true" : "";
    TestDatabase watched =
        place
            .shop()
            .serve(
                parameters,
                (connections, transcript) -> {
                  try (Connection connection = connections.open()) {
                    for (int rows : new int[] {maxParameters(place) / 3, 5}) {
                      connection.setAutoCommit(false);
                      boolean few = rows == 5;
                      for (String columns :
                          few || place.level() == Level.PREDICATES
                              ? List.of("", " (id, name, qty)")
                              : List.of("")) {
                        String sql =
                            "INSERT INTO item"
                                + columns
                                + " VALUES "
                                + String.join(",", Collections.nCopies(rows, "(?,?,?)"));
                        transcript.step(
                            "INSERT" + columns,
                            () -> insert(connection, sql, rows, transcript::line));
                        connection.rollback();
                      }
                    }
                  }
                });
    assertThat(watched.statements()).isNotEmpty();
    assertThat(watched.statements())
        .extracting(Event.StatementExecuted::sql)
        .anyMatch(sql -> sql.length() > 50_000);
  }

  private static void insert(
      Connection connection, String sql, int rows, java.util.function.Consumer<String> note)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int i = 0; i < rows; i++) {
        insert.setInt(3 * i + 1, 1000 + i);
        insert.setString(3 * i + 2, "n");
        insert.setInt(3 * i + 3, i);
      }
      note.accept("count " + insert.executeUpdate());
    }
  }

  @OnEach
  @DisplayName("60 as many parameters as there may be in a list of values")
  void parametersOfQueries(Place place) throws SQLException {
    int most = maxParameters(place) - 1;
    String list = String.join(",", Collections.nCopies(most, "?"));
    place
        .shop()
        .run(
            (connection, transcript) -> {
              for (String sql :
                  new String[] {
                    "UPDATE item SET qty = ? WHERE id IN (" + list + ")",
                    "SELECT id FROM item WHERE id <> ? AND id IN (" + list + ")"
                  }) {
                transcript.step(
                    sql.substring(0, 20),
                    () -> {
                      try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        for (int i = 1; i <= most + 1; i++) {
                          statement.setInt(i, i);
                        }
                        transcript.results(statement, statement.execute());
                      }
                    });
              }
            });
  }

  @OnEach
  @DisplayName("60 as many columns as there may be, and one less")
  void columns(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                for (int less : new int[] {0, 1}) {
                  String list =
                      IntStream.range(0, maxColumns(place) - less)
                          .mapToObj(i -> "qty AS c" + i)
                          .collect(Collectors.joining(", "));
                  transcript.step(
                      "columns less " + less,
                      () -> {
                        try (Statement statement = connection.createStatement();
                            var rows = statement.executeQuery("SELECT " + list + " FROM item")) {
                          transcript.line("columns " + rows.getMetaData().getColumnCount());
                          int count = 0;
                          while (rows.next()) {
                            count += rows.getInt(1);
                          }
                          transcript.line("sum " + count);
                        }
                      });
                }
              }
              connection.rollback();
            });
  }

  @OnEach({ServerKind.MYSQL, ServerKind.MARIADB})
  @DisplayName("60 a text that nearly fills max_allowed_packet")
  void textOfMySql(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              int most;
              try (Statement statement = connection.createStatement();
                  var row = statement.executeQuery("SELECT @@max_allowed_packet")) {
                row.next();
                most = Math.min(row.getInt(1), 16 << 20);
                most = place.level() == Level.INLINE ? most / 8 : most; // an INSERT is the same
              }
              String head = "INSERT INTO item (id, name, qty) VALUES (100, 'x', 1)";
              StringBuilder sql = new StringBuilder(head);
              for (int i = 101; sql.length() < 30_000; i++) {
                sql.append(",(").append(i).append(",'x',1)");
              }
              sql.append("/*").append("-".repeat(most - sql.length() - 200)).append("*/");
              transcript.step(
                  "long text",
                  () -> {
                    try (Statement statement = connection.createStatement()) {
                      transcript.line("count " + statement.executeUpdate(sql.toString()));
                    }
                  });
            });
  }

  @OnEach(ServerKind.SQLITE)
  @DisplayName("60 terms of a compound SELECT and depth of an expression")
  void termsOfSqlite(Place place) throws SQLException {
    String union = String.join(" UNION ALL ", Collections.nCopies(500, "SELECT id FROM item"));
    String sum = String.join("+", Collections.nCopies(998, "qty"));
    place
        .shop()
        .run(
            (connection, transcript) -> {
              for (String sql :
                  new String[] {
                    union,
                    "SELECT " + sum + " FROM item",
                    "UPDATE item SET qty = (" + sum + ") % 7",
                    "SELECT id FROM item WHERE qty < " + sum
                  }) {
                transcript.step(
                    sql.substring(0, 20),
                    () -> {
                      try (Statement statement = connection.createStatement()) {
                        transcript.results(statement, statement.execute(sql));
                      }
                    });
              }
            });
  }
}
