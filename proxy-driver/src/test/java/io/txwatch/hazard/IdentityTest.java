package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;

/** Who is who: what leads back leads to the wrapper, what is the driver's own stays that. */
class IdentityTest {

  @OnEach
  @DisplayName("47 what leads back leads to the wrapper")
  void leadsBack(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    try (Connection connection = watched.watched();
        Statement statement = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement("SELECT * FROM item")) {
      assertThat(statement.getConnection()).isSameAs(connection);
      assertThat(prepared.getConnection()).isSameAs(connection);
      try (ResultSet rows = prepared.executeQuery()) {
        assertThat(rows.getStatement()).isSameAs(prepared);
      }
      for (String sql : List.of("SELECT * FROM item", "SELECT COUNT(*) FROM item", "SELECT 1")) {
        try (ResultSet rows = statement.executeQuery(sql)) {
          assertThat(rows.getStatement()).isSameAs(statement);
        }
      }
      assertThat(statement.execute("SELECT id FROM item")).isTrue();
      try (ResultSet rows = statement.getResultSet()) {
        assertThat(rows.getStatement().getConnection()).isSameAs(connection);
      }
      statement.executeUpdate(
          "INSERT INTO item VALUES (9, 'k', 1)", Statement.RETURN_GENERATED_KEYS);
      try (ResultSet keys = statement.getGeneratedKeys()) {
        assertThat(keys.getStatement()).isSameAs(statement);
      }
      DatabaseMetaData metaData = connection.getMetaData();
      assertThat(metaData.getConnection()).isSameAs(connection);
      for (ResultSet rows :
          List.of(
              metaData.getTables(null, null, "item", null),
              metaData.getColumns(null, null, "item", null),
              metaData.getPrimaryKeys(null, null, "item"),
              metaData.getTypeInfo(),
              metaData.getSchemas())) {
        try (rows) {
          Statement behind = rows.getStatement();
          if (behind != null) {
            assertThat(behind.getConnection()).isSameAs(connection);
          }
        }
      }
    }
  }

  @OnEach
  @DisplayName("48 unwrap gives the vendor's object, and is counted")
  void unwrap(Place place) throws Exception {
    Class<?> vendor =
        switch (place.kind()) {
          case POSTGRESQL -> org.postgresql.PGConnection.class;
          case MARIADB -> org.mariadb.jdbc.Connection.class;
          case MYSQL -> com.mysql.cj.jdbc.JdbcConnection.class;
          case H2 -> org.h2.jdbc.JdbcConnection.class;
          case SQLITE -> org.sqlite.SQLiteConnection.class;
        };
    TestDatabase watched = place.shop().watched();
    try (Connection connection = watched.watched();
        Statement statement = connection.createStatement()) {
      assertThat(connection.isWrapperFor(vendor)).isTrue();
      assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
      assertThat(statement.unwrap(Statement.class)).isSameAs(statement);
      assertThat(watched.events(Event.Gap.class)).isEmpty();
      assertThat(vendor.isInstance(connection.unwrap(vendor))).isTrue();
      assertThat(connection.isWrapperFor(String.class)).isFalse();
      try {
        connection.unwrap(String.class);
        throw new AssertionError("no error");
      } catch (SQLException | ClassCastException expected) { // SQLite's driver merely casts
        assertThat(expected.getMessage()).doesNotContain("txwatch");
      }
    }
    assertThat(watched.events(Event.Gap.class))
        .singleElement()
        .extracting(Event.Gap::reason)
        .isEqualTo(GapReason.BYPASS);
  }

  @OnEach
  @DisplayName("49 values that are objects of the driver")
  void values(Place place) throws SQLException {
    String types =
        switch (place.kind()) {
          case POSTGRESQL -> "tags TEXT[], doc JSONB, at TIMESTAMPTZ, who UUID, raw BYTEA";
          case H2 ->
              "tags VARCHAR(20) ARRAY, doc JSON, at TIMESTAMP WITH TIME ZONE, who UUID, raw BLOB";
          case MARIADB, MYSQL -> "tags LONGTEXT, doc JSON, at DATETIME(3), who CHAR(36), raw BLOB";
          case SQLITE -> "tags TEXT, doc TEXT, at TEXT, who TEXT, raw BLOB";
        };
    String row =
        switch (place.kind()) {
          case POSTGRESQL ->
              "1, '{a,b}', '{\"a\": 1}', '2026-01-02 03:04:05+00',"
                  + " '11111111-2222-3333-4444-555555555555', '\\x0102'";
          case H2 ->
              "1, ARRAY['a','b'], JSON '{\"a\": 1}', TIMESTAMP WITH TIME ZONE"
                  + " '2026-01-02 03:04:05+00', '11111111-2222-3333-4444-555555555555', X'0102'";
          default ->
              "1, 'a,b', '{\"a\": 1}', '2026-01-02 03:04:05',"
                  + " '11111111-2222-3333-4444-555555555555', X'0102'";
        };
    place
        .of(
            "CREATE TABLE thing (id INT PRIMARY KEY, " + types + ")",
            "INSERT INTO thing VALUES (" + row + ")")
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              try (Statement statement = connection.createStatement();
                  ResultSet thing = statement.executeQuery("SELECT * FROM thing")) {
                thing.next();
                for (int i = 1; i <= thing.getMetaData().getColumnCount(); i++) {
                  Object value = thing.getObject(i);
                  transcript.line(i + " " + value.getClass().getName());
                }
                transcript.step(
                    "array",
                    () -> {
                      Array array = thing.getArray("tags");
                      transcript.line(array.getClass().getName() + " " + array.getBaseType());
                      try (PreparedStatement update =
                          connection.prepareStatement("UPDATE thing SET tags = ? WHERE id = ?")) {
                        update.setArray(1, array);
                        update.setInt(2, 1);
                        transcript.line("count " + update.executeUpdate());
                        update.setArray(
                            1, connection.createArrayOf("VARCHAR", new Object[] {"x", "y"}));
                        update.setInt(2, 1);
                        transcript.line("count " + update.executeUpdate());
                      }
                    });
                transcript.step(
                    "blob",
                    () -> {
                      Blob blob = thing.getBlob("raw");
                      transcript.line(blob.getClass().getName() + " " + blob.length());
                    });
                transcript.step(
                    "clob",
                    () -> {
                      Clob clob = thing.getClob("doc");
                      transcript.line(clob.getClass().getName() + " " + clob.length());
                    });
                transcript.step("bytes", () -> transcript.line("" + thing.getBytes("raw").length));
                transcript.step(
                    "offset",
                    () ->
                        transcript.line(
                            thing
                                .getObject("at", java.time.OffsetDateTime.class)
                                .getClass()
                                .getName()));
              }
              connection.rollback();
              try (Statement statement = connection.createStatement()) {
                transcript.line(
                    "savepoint " + connection.setSavepoint("s").getClass().getSimpleName());
                transcript.line("" + statement.getFetchDirection());
              }
              connection.rollback();
            });
  }

  @OnEach
  @DisplayName("50 equals and hashCode")
  void equality(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    Connection raw = watched.raw();
    try (Connection one = watched.watched(raw);
        Connection other = watched.watched();
        Statement statement = one.createStatement();
        Statement second = one.createStatement()) {
      assertThat(one)
          .isEqualTo(statement.getConnection())
          .isNotEqualTo(other)
          .hasSameHashCodeAs(raw);
      assertThat(one.equals(raw)).isTrue();
      assertThat(statement).isNotEqualTo(second);
      Set<Object> all = new HashSet<>(List.of(one, other, statement, second));
      assertThat(all).hasSize(4).contains(one, statement);
      try (ResultSet rows = statement.executeQuery("SELECT * FROM item")) {
        assertThat(rows.getStatement()).isEqualTo(statement);
        assertThat(all.add(rows)).isTrue();
      }
    }
  }

  /** H2's savepoints, among others, must be the driver's own when they are handed back. */
  @OnEach(ServerKind.H2)
  @DisplayName("49 savepoints are the driver's")
  void savepoints(Place place) throws SQLException {
    try (Connection connection = place.shop().watched().watched()) {
      connection.setAutoCommit(false);
      assertThat(connection.setSavepoint().getClass().getName()).startsWith("org.h2.");
    }
  }
}
