package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.Tokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A new text is tokenized once: its plan, and whatever else is known of it, share the tokens. */
class TokenizedOnceTest {

  private static final List<String> TEXTS =
      List.of(
          "SELECT balance FROM account WHERE id = 1",
          "SELECT balance FROM account WHERE id = 2",
          "UPDATE account SET balance = balance + 1 WHERE id = 1",
          "SET @a = 1");

  private final List<String> tokenized = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({
    "H2, auto",
    "H2, triggers",
    "H2, statements",
    "H2, columns",
    "MARIADB, auto",
    "MARIADB, log",
    "MARIADB, columns"
  })
  void aNewTextIsTokenizedOnce(ServerKind kind, String versions) throws SQLException {
    Map<Setting, String> settings =
        Map.of(
            Setting.VERSIONS, versions, Setting.REDACT, "true", Setting.INSTRUMENT, "predicates");
    TestDatabase bank =
        TestDatabase.of(
            kind,
            "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
            "INSERT INTO account VALUES (1, 100)");
    try (Connection connection = bank.watched(this::counting, settings);
        Statement statement = connection.createStatement()) {
      for (String sql : TEXTS) {
        statement.execute(sql);
      }
    }
    assertThat(tokenized).isEqualTo(TEXTS);
  }

  private Planner counting(Planner real) {
    return new Planner() {
      @Override
      public Tokens tokens(String sql) {
        tokenized.add(sql);
        return real.tokens(sql);
      }

      @Override
      public Planned planned(Tokens tokens, Catalog catalog, PlanRequest request) {
        if (!request.equals(PlanRequest.ANY)) {
          tokenized.remove(tokenized.size() - 1); // a variant, which is planned when it is needed
        }
        return real.planned(tokens, catalog, request);
      }

      @Override
      public Optional<TextShape> shape(Tokens tokens) {
        return real.shape(tokens);
      }

      @Override
      public Optional<Planned> planned(TextShape shape, Catalog catalog) {
        return real.planned(shape, catalog);
      }
    };
  }
}
