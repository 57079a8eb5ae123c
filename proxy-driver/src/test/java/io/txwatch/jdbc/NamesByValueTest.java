package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.RowValues;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * By value, tables are looked up on another connection than the application's: the name in a
 * statement means the table that the DBMS reads, or none that is known.
 */
class NamesByValueTest {

  private static final Settings STATEMENTS = Settings.of(Map.of(Setting.VERSIONS, "statements"));
  private static final String READ = "SELECT id, place FROM item WHERE id = 1";

  private static @Nullable TestDatabase postgres;
  private static @Nullable TestDatabase h2;

  private static TestDatabase of(ServerKind kind) throws SQLException {
    TestDatabase known = kind == ServerKind.H2 ? h2 : postgres;
    if (known != null) {
      return known;
    }
    List<String> setup = new ArrayList<>();
    String mixed = kind == ServerKind.H2 ? "\"b\"" : "\"B\"";
    for (String schema : List.of("a", "b", mixed)) {
      setup.add("CREATE SCHEMA " + schema);
      setup.add(create(schema + ".item", schema.startsWith("\"") ? "mixed" : schema));
    }
    setup.add(create("item", "public"));
    if (kind == ServerKind.POSTGRESQL) {
      setup.add("CREATE SCHEMA empty");
      setup.add("DROP ROLE IF EXISTS txwatch_names");
      setup.add("CREATE ROLE txwatch_names");
      setup.add("GRANT USAGE ON SCHEMA b TO txwatch_names");
      setup.add("GRANT SELECT ON b.item, item TO txwatch_names");
    }
    TestDatabase made = TestDatabase.at(kind, TestServers.freshDatabase(kind), setup);
    if (kind == ServerKind.H2) {
      h2 = made;
    } else {
      postgres = made;
    }
    return made;
  }

  private static String create(String table, String place) {
    return "CREATE TABLE %1$s (id INT PRIMARY KEY, place VARCHAR(9)); INSERT INTO %1$s VALUES (1, '%2$s')"
        .formatted(table, place);
  }

  /** Which table was observed in the last read, and which one it was. */
  private record Answer(Optional<String> observed, String real) {}

  private static Answer run(ServerKind kind, List<String> steps) throws SQLException {
    TestDatabase database = of(kind);
    database.events().clear();
    try (Connection connection = database.watched(database.raw(), STATEMENTS);
        Statement statement = connection.createStatement()) {
      for (String step : steps) {
        step(connection, statement, step);
      }
      database.events().clear();
      String real;
      try (ResultSet row = statement.executeQuery(READ)) {
        row.next();
        real = row.getString(2);
      }
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      return new Answer(
          database.events(Event.ValuesObserved.class).stream()
              .flatMap(event -> event.reads().stream())
              .map(RowValues::table)
              .findFirst(),
          real);
    }
  }

  private static void step(Connection connection, Statement statement, String step)
      throws SQLException {
    String[] words = step.split(" ");
    switch (words[0]) {
      case "manual" -> connection.setAutoCommit(false);
      case "auto" -> connection.setAutoCommit(true);
      case "commit" -> end(connection, true);
      case "rollback" -> end(connection, false);
      case "setSchema" -> connection.setSchema(words[1]);
      case "setCatalog" -> connection.setCatalog(connection.getCatalog());
      case "savepoint" -> {
        if (!connection.getAutoCommit()) {
          statement.execute("SAVEPOINT one");
          statement.execute("SET search_path TO b");
          statement.execute("ROLLBACK TO SAVEPOINT one");
        }
      }
      default -> statement.execute(step);
    }
  }

  private static void end(Connection connection, boolean commits) throws SQLException {
    if (!connection.getAutoCommit()) {
      if (commits) {
        connection.commit();
      } else {
        connection.rollback();
      }
    }
  }

  private static String named(String place) {
    return place.equals("public") ? "item" : (place.equals("mixed") ? "B" : place) + ".item";
  }

  @Provide
  static Arbitrary<List<String>> postgresSteps() {
    return Arbitraries.of(
            "SET search_path TO a, public",
            "/* tenant */ SET search_path = 'b'",
            "SET search_path TO \"B\", a",
            "SET SESSION search_path TO empty, B -- tenant",
            "SET search_path TO \"$user\", b",
            "SET LOCAL search_path TO a",
            "SET SCHEMA 'a'",
            "SET search_path TO DEFAULT",
            "SET search_path TO pg_temp, a",
            "RESET search_path",
            "RESET ALL",
            "SELECT set_config('search_path', 'a', false)",
            "SELECT set_config('search_path', 'a', true)",
            "SELECT set_config('app.tenant', '7', false)",
            "DO $$ BEGIN PERFORM set_config('search_path', 'b', false); END $$",
            "SET search_path TO a; SELECT 1",
            "SET ROLE txwatch_names; SET search_path TO a, b",
            "SET LOCAL ROLE txwatch_names",
            "SET search_path TO a, b, public",
            "RESET ROLE",
            "CREATE TEMPORARY TABLE item (id, place) AS SELECT 1, 'temp'; SET search_path TO a",
            "SELECT 1 AS id, 'temp' AS place INTO TEMP item",
            "DISCARD TEMP",
            "setSchema a",
            "setSchema B",
            "setCatalog",
            "manual",
            "auto",
            "commit",
            "rollback",
            "savepoint")
        .list()
        .ofMaxSize(8);
  }

  @Property(tries = 60)
  void theTableIsTheOneThatIsReadOrUnknown(@ForAll("postgresSteps") List<String> steps)
      throws SQLException {
    Answer answer;
    try {
      answer = run(ServerKind.POSTGRESQL, steps);
    } catch (SQLException e) {
      return; // a role that may not, a table that is there already
    }
    answer
        .observed()
        .ifPresent(table -> assertThat(table).as(steps::toString).isEqualTo(named(answer.real())));
  }

  @Provide
  static Arbitrary<List<String>> h2Steps() {
    return Arbitraries.of(
            "SET SCHEMA a",
            "/* tenant */ SET SCHEMA = b",
            "SET SCHEMA \"b\"",
            "SET SCHEMA 'A'",
            "SET SCHEMA PUBLIC",
            "SET SCHEMA_SEARCH_PATH A, PUBLIC",
            "SET SCHEMA A; SELECT 1",
            "setSchema A",
            "setSchema PUBLIC",
            "setCatalog",
            "manual",
            "auto",
            "commit",
            "rollback")
        .list()
        .ofMaxSize(6);
  }

  @Property(tries = 60)
  void theTableOfH2IsTheOneThatIsReadOrUnknown(@ForAll("h2Steps") List<String> steps)
      throws SQLException {
    Answer answer = run(ServerKind.H2, steps);
    answer
        .observed()
        .ifPresent(
            table -> assertThat(table).as(steps::toString).isEqualTo(namedInH2(answer.real())));
  }

  private static String namedInH2(String place) {
    String schema = place.equals("mixed") ? "b" : place.toUpperCase(Locale.ROOT);
    return schema.equals("PUBLIC") ? "ITEM" : schema + ".ITEM";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SET search_path TO a, public | a.item",
        "SET search_path TO empty, b, a | b.item",
        "/* tenant */ SET SESSION search_path = \"B\" | B.item",
        "SET SCHEMA 'a' | a.item",
        "setSchema B | B.item",
        "setSchema a & SET search_path TO DEFAULT | item",
        "SET search_path TO a & RESET search_path | item",
        "SET ROLE txwatch_names & SET search_path TO b & DISCARD ALL | item",
        "SET ROLE txwatch_names & SET search_path TO b & RESET ROLE | b.item",
        "SET search_path TO a & setCatalog | a.item",
        "manual & SET search_path TO a & rollback | item",
        "manual & SET search_path TO a & commit | a.item",
        "manual & setSchema a & rollback | item",
        "SET search_path TO b & manual & SET LOCAL search_path TO a | a.item",
        "SET search_path TO b & manual & SET LOCAL search_path TO a & commit | b.item",
        "manual & SET search_path TO a & savepoint & rollback | item",
        "SELECT set_config('app.tenant', '7', false) | item",
        "SELECT set_config('search_path', 'a', false) & SET search_path TO b | b.item",
      })
  void aPlainPathIsFollowed(String steps, String table) throws SQLException {
    assertThat(run(ServerKind.POSTGRESQL, List.of(steps.split(" & "))).observed()).contains(table);
  }

  /** The role may not see the schemas, until the session has its own one again. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET ROLE txwatch_names; SET search_path TO a & SET search_path TO a, public",
        "SELECT set_config('role', 'txwatch_names', false) & SET search_path TO a, public",
      })
  void aRoleThatMayHaveBeenTakenLeavesNamesUnknown(String steps) throws SQLException {
    assertThat(run(ServerKind.POSTGRESQL, List.of(steps.split(" & "))).observed()).isEmpty();
    assertThat(
            run(ServerKind.POSTGRESQL, List.of((steps + " & RESET ROLE").split(" & "))).observed())
        .contains("a.item");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SET SCHEMA a | a",
        "SET SCHEMA = \"A\" | a",
        "setSchema A | a",
        "SET SCHEMA a & SET SCHEMA PUBLIC | public",
        "SET SCHEMA a & setCatalog | a",
      })
  void aPlainSchemaOfH2IsFollowed(String steps, String place) throws SQLException {
    Answer answer = run(ServerKind.H2, List.of(steps.split(" & ")));
    assertThat(answer.real()).isEqualTo(place);
    assertThat(answer.observed()).isPresent();
  }
}
