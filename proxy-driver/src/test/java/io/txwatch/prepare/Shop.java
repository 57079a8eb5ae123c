package io.txwatch.prepare;

import io.txwatch.history.WriterList;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A fresh database with a few tables that are hard to alter, and what one can ask of it. */
public record Shop(ServerKind kind, String url, Connection connection) implements AutoCloseable {

  /** The DBMSs whose tables are prepared. */
  static Stream<ServerKind> kinds() {
    return TestServers.kinds()
        .filter(kind -> kind != ServerKind.POSTGRESQL && kind != ServerKind.SQLITE);
  }

  public static Shop empty(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    return new Shop(kind, url, DriverManager.getConnection(url));
  }

  /** Rows, keys, a foreign key, a generated column, a default, a trigger, and a view. */
  public static Shop open(ServerKind kind) throws SQLException {
    Shop shop = empty(kind);
    shop.run(
        "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(40) NOT NULL UNIQUE,"
            + " balance DECIMAL(12,2) DEFAULT 0 NOT NULL)",
        "CREATE TABLE transfer (id INT PRIMARY KEY, account_id INT NOT NULL, amount INT NOT NULL,"
            + " twice INT GENERATED ALWAYS AS (amount * 2)"
            + (kind == ServerKind.H2 ? "" : " STORED")
            + ", FOREIGN KEY (account_id) REFERENCES account(id))",
        "CREATE TABLE log (what VARCHAR(100))",
        "CREATE INDEX transfer_amount ON transfer (amount)",
        "INSERT INTO account VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'cas', 30)",
        "INSERT INTO transfer (id, account_id, amount) VALUES (1, 1, 5), (2, 2, 7)",
        "CREATE VIEW rich AS SELECT "
            + (kind == ServerKind.SQLITE ? "id, owner, balance" : "*")
            + " FROM account WHERE balance > 15");
    switch (kind) {
      case POSTGRESQL ->
          shop.run(
              "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                  + " INSERT INTO log VALUES ('was ' || OLD.balance); RETURN NEW; END $$",
              "CREATE TRIGGER note AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION note()");
      case MARIADB, MYSQL ->
          shop.run(
              "CREATE TRIGGER note AFTER INSERT ON account FOR EACH ROW"
                  + " INSERT INTO log VALUES (CONCAT('new ', NEW.owner))");
      case SQLITE ->
          shop.run(
              "CREATE TRIGGER note AFTER UPDATE ON account BEGIN"
                  + " INSERT INTO log (what) VALUES ('was ' || OLD.balance); END");
      case H2 -> {}
    }
    return shop;
  }

  public void run(String... statements) throws SQLException {
    run(connection, statements);
  }

  public static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  public Preparation preparation() throws SQLException {
    return Products.preparation(connection, url, Duration.ofSeconds(1));
  }

  public PreparationResult prepare(String... tables) throws SQLException {
    Preparation preparation = preparation();
    return preparation.execute(preparation.planPrepare(List.of(tables)));
  }

  public PreparationResult unprepare(String... tables) throws SQLException {
    Preparation preparation = preparation();
    return preparation.execute(preparation.planUnprepare(List.of(tables)));
  }

  /** What {@code txw_wl} holds in a row that nobody who is watched has written. */
  public String unwritten() {
    return switch (kind) {
      case MYSQL, MARIADB -> WriterList.UNWRITTEN;
      case POSTGRESQL, H2, SQLITE -> "";
    };
  }

  /** Each row of a query as text, columns separated by bars. */
  public List<String> rows(String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(String.valueOf(Optional.ofNullable(result.getString(i)).orElse("null")));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  /** The DDL of the whole database as its own catalog shows it. */
  public List<String> ddl() throws SQLException {
    List<String> lines = new ArrayList<>();
    for (String query : ddlQueries()) {
      rows(query).stream().filter(line -> !line.startsWith("--")).forEach(lines::add);
    }
    if (kind == ServerKind.H2) {
      Collections.sort(lines); // it lists tables in the order of their last alteration
    }
    return lines;
  }

  private List<String> ddlQueries() throws SQLException {
    return switch (kind) {
      case POSTGRESQL ->
          List.of(
              "SELECT table_name, column_name, ordinal_position, data_type, is_nullable,"
                  + " column_default, generation_expression FROM information_schema.columns"
                  + " WHERE table_schema = 'public' ORDER BY 1, 3",
              "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
              "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
                  + " WHERE connamespace = 'public'::regnamespace ORDER BY 1",
              "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public' ORDER BY 1",
              "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1",
              "SELECT sequencename FROM pg_sequences ORDER BY 1",
              "SELECT objoid::regclass, objsubid, description FROM pg_description"
                  + " WHERE description LIKE 'txwatch%' ORDER BY 1, 2");
      case MARIADB, MYSQL -> {
        List<String> queries = new ArrayList<>();
        for (String table :
            rows(
                "SELECT table_name FROM information_schema.tables"
                    + " WHERE table_schema = DATABASE() ORDER BY 1")) {
          queries.add("SHOW CREATE TABLE `" + table.replace("`", "``") + "`");
        }
        yield queries;
      }
      case H2 -> List.of("SCRIPT NODATA NOSETTINGS");
      case SQLITE ->
          List.of("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
    };
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
