package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.PathChange;
import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.Catalog.Table;
import io.txwatch.plan.KeyColumn;
import io.txwatch.prepare.Shop;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.sql.syntax.Tokenizer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class JdbcCatalogTest {

  private static final String KINDS = "io.txwatch.servers.TestServers#kinds";
  private static final String PREPARED_KINDS = "io.txwatch.prepare.Shop#kinds";

  private final List<String> notices = new ArrayList<>();
  private boolean idle = true;

  private static void executed(JdbcCatalog catalog, String sql) {
    DialectSql product = catalog.sql().orElseThrow();
    catalog.executed(sql, PathChange.of(Tokenizer.tokenize(sql, product.dialect()), product));
  }

  private JdbcCatalog catalog(Connection connection, String url, boolean auto) throws SQLException {
    return JdbcCatalog.open(
        connection,
        url,
        "me",
        () -> DriverManager.getConnection(url),
        new CatalogMode(
            Products.catalogs(),
            auto ? Optional.of(Products::autoPreparation) : Optional.empty(),
            CatalogMode.Versions.AUTO,
            true),
        () -> idle,
        notices::add);
  }

  private JdbcCatalog catalog(Shop shop) throws SQLException {
    return catalog(shop.connection(), shop.url(), false);
  }

  private static Table find(JdbcCatalog catalog, String... parts) {
    return catalog.find(List.of(parts)).orElseThrow();
  }

  private static List<String> lower(List<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void aTableIsSmallUntilItHasGrown(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop);
        Statement statement = shop.connection().createStatement()) {
      statement.execute("create table grows (a int)");
      statement.execute("insert into grows values (1)");
      assertThat(catalog.isSmall(List.of("grows"))).isTrue();
      assertThat(catalog.isSmall(List.of("nowhere"))).isFalse();
      for (int i = 0; i < 14; i++) {
        statement.execute("insert into grows select a from grows");
      }
      assertThat(catalog.isSmall(List.of("grows"))).describedAs("for a minute").isTrue();
      catalog.invalidate();
      assertThat(catalog.isSmall(List.of("grows"))).isFalse();
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT) // it waits for seconds
  void failedLookUpIsReportedOnceAndRepeated() throws Exception {
    try (Shop shop = Shop.open(ServerKind.H2)) {
      shop.prepare();
      AtomicInteger failures = new AtomicInteger(2);
      try (JdbcCatalog catalog =
          JdbcCatalog.open(
              shop.connection(),
              shop.url(),
              "unlucky",
              () -> {
                if (failures.getAndDecrement() > 0) {
                  throw new SQLException("near 'a secret'", "08001", 1040);
                }
                return DriverManager.getConnection(shop.url());
              },
              CatalogMode.rewriting(Products.catalogs()),
              () -> true,
              notices::add)) {
        long version = catalog.version();
        Table unknown = find(catalog, "account");
        assertThat(unknown.status()).isEqualTo(Status.LOOKUP_FAILED);
        assertThat(catalog.isSmall(List.of("account"))).isFalse();
        assertThat(notices)
            .singleElement()
            .asString()
            .contains("SQLException, SQLState 08001, code 1040")
            .doesNotContain("secret");

        assertThat(find(catalog, "account").status()).isEqualTo(Status.PREPARED);
        assertThat(catalog.isSmall(List.of("account"))).isTrue();
        await("plans made meanwhile are made anew").until(() -> catalog.version() != version);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(PREPARED_KINDS)
  void aTableIsFoundWithItsColumnsInOrderBeforeAndAfterItIsPrepared(ServerKind kind)
      throws Exception {
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop)) {
      Table before = find(catalog, "account");
      assertThat(before.status()).isEqualTo(Status.NOT_PREPARED);
      assertThat(lower(before.columns())).containsExactly("id", "owner", "balance");

      shop.prepare();
      catalog.invalidate();

      Table after = find(catalog, "account");
      assertThat(after.status()).isEqualTo(Status.PREPARED);
      assertThat(after.columns()).isEqualTo(before.columns());
      assertThat(after.name()).isEqualToIgnoringCase("account");
    }
  }

  /** Tables get no columns there, and those of an earlier version are the application's. */
  @ParameterizedTest
  @CsvSource({"AUTO, false, ''", "COLUMNS, false, x", "AUTO, true, x", "SYSTEM, false, x"})
  void sqliteIsWatchedByTheStatement(
      CatalogMode.Versions versions, boolean needsColumns, String notice) throws Exception {
    try (Shop shop = Shop.open(ServerKind.SQLITE)) {
      shop.run(
          "ALTER TABLE account ADD COLUMN txw_rid INTEGER",
          "ALTER TABLE account ADD COLUMN txw_wl TEXT NOT NULL DEFAULT ''");
      try (JdbcCatalog catalog =
          JdbcCatalog.open(
              shop.connection(),
              shop.url(),
              versions.name(),
              () -> DriverManager.getConnection(shop.url()),
              new CatalogMode(Products.catalogs(), Optional.empty(), versions, needsColumns),
              () -> true,
              notices::add)) {
        assertThat(catalog.versions())
            .isEqualTo(
                notice.isEmpty() ? CatalogMode.Versions.AUTO : CatalogMode.Versions.STATEMENTS);
        Table account = find(catalog, "account");
        assertThat(account.starColumns())
            .containsExactly("id", "owner", "balance", "txw_rid", "txw_wl");
      }
    }
    if (notice.isEmpty()) {
      assertThat(notices).isEmpty();
    } else {
      assertThat(notices)
          .singleElement()
          .asString()
          .contains("txwatch.versions=statements", "SQLite has no invisible columns");
    }
  }

  /** Tables get no columns there; those of an earlier version are the application's. */
  @ParameterizedTest
  @EnumSource(names = {"AUTO", "COLUMNS", "SYSTEM"})
  void postgresTablesAreWatchedByTheirSystemColumns(CatalogMode.Versions versions)
      throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL)) {
      shop.run("ALTER TABLE account ADD COLUMN txw_rid bigint, ADD COLUMN txw_wl varchar(112)");
      try (JdbcCatalog catalog =
          JdbcCatalog.open(
              shop.connection(),
              shop.url(),
              versions.name(),
              () -> DriverManager.getConnection(shop.url()),
              new CatalogMode(Products.catalogs(), Optional.empty(), versions),
              () -> true,
              notices::add)) {
        Table account = find(catalog, "account");
        assertThat(account.status()).isEqualTo(Status.SYSTEM_COLUMNS);
        assertThat(account.starColumns())
            .containsExactly("id", "owner", "balance", "txw_rid", "txw_wl");
      }
    }
    if (versions == CatalogMode.Versions.COLUMNS) {
      assertThat(notices)
          .singleElement()
          .asString()
          .contains("txwatch.versions=system is used instead of columns");
    } else {
      assertThat(notices).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void aViewIsNoBaseTableAndANameOfNothingIsNothing(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop)) {
      assertThat(find(catalog, "rich").status()).isEqualTo(Status.NOT_A_BASE_TABLE);
      assertThat(catalog.find(List.of("nothing"))).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void quotedNamesAreThemselves(ServerKind kind) throws Exception {
    try (Shop shop = Shop.empty(kind)) {
      String quote = kind == ServerKind.MARIADB || kind == ServerKind.MYSQL ? "`" : "\"";
      shop.run("CREATE TABLE " + quote + "MixedCase" + quote + " (id INT PRIMARY KEY)");
      try (JdbcCatalog catalog = catalog(shop)) {
        assertThat(find(catalog, quote + "MixedCase" + quote).name()).isEqualTo("MixedCase");
        Optional<Table> unquoted = catalog.find(List.of("MixedCase"));
        boolean folds = kind == ServerKind.POSTGRESQL || kind == ServerKind.H2;
        assertThat(unquoted.isEmpty()).isEqualTo(folds);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void lookingUpBeginsNoTransaction(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop)) {
      shop.connection().setAutoCommit(false);
      find(catalog, "account");
      // pgjdbc refuses this once a transaction has begun
      shop.connection().setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      assertThat(shop.rows("SELECT id FROM account")).hasSize(3);
      assertThat(shop.connection().getAutoCommit()).isFalse();
      shop.connection().rollback();
    }
  }

  @Test
  void lookingUpWorksInAnAbortedTransaction() throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL);
        JdbcCatalog catalog = catalog(shop)) {
      shop.connection().setAutoCommit(false);
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> shop.run("SELECT 1/0"))
          .isInstanceOf(SQLException.class);
      assertThat(find(catalog, "account").status()).isEqualTo(Status.SYSTEM_COLUMNS);
      shop.connection().rollback();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void lookingUpWorksWhileTheApplicationHoldsLocks(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop)) {
      shop.connection().setAutoCommit(false);
      shop.run("UPDATE account SET balance = 1 WHERE id = 1");
      assertThat(find(catalog, "account").columns()).hasSize(3);
      shop.connection().rollback();
      assertThat(shop.rows("SELECT balance FROM account WHERE id = 1").get(0)).startsWith("10");
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void ddlOfOneSessionIsSeenByTheOthers(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        Connection other = DriverManager.getConnection(shop.url());
        JdbcCatalog catalog = catalog(shop);
        JdbcCatalog second = catalog(other, shop.url(), false)) {
      assertThat(find(second, "log").columns()).hasSize(1);
      long version = second.version();

      String ddl = "ALTER TABLE log ADD COLUMN who VARCHAR(9)";
      shop.run(ddl);
      executed(catalog, ddl);

      assertThat(second.version()).isNotEqualTo(version);
      assertThat(find(second, "log").columns()).hasSize(2);
    }
  }

  @Test
  void aTableCreatedInATransactionIsSeenWhenItCommits() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.POSTGRESQL);
        JdbcCatalog catalog = catalog(shop)) {
      shop.connection().setAutoCommit(false);
      idle = false;
      shop.run("CREATE TABLE fresh (id INT)");
      executed(catalog, "CREATE TABLE fresh (id INT)");
      assertThat(find(catalog, "fresh").status()).isEqualTo(Status.LOOKUP_FAILED);
      long version = catalog.version();

      shop.connection().commit();
      idle = true;
      catalog.transactionEnded(true);

      assertThat(catalog.version()).isNotEqualTo(version);
      assertThat(find(catalog, "fresh").columns()).containsExactly("id");
    }
  }

  /** A pool has no connection beside the application's. */
  @Test
  void tablesOfAPoolAreLookedUpBeforeItsNextConnectionIsHandedOut() throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL);
        Connection other = DriverManager.getConnection(shop.url());
        JdbcCatalog catalog = pooled(shop.connection(), shop.url())) {
      long version = catalog.version();
      assertThat(find(catalog, "account").status()).isEqualTo(Status.LOOKUP_FAILED);
      other.setAutoCommit(false);
      try (JdbcCatalog next = pooled(other, shop.url())) {
        assertThat(other.getAutoCommit()).isFalse();
        assertThat(find(next, "account").status()).isEqualTo(Status.SYSTEM_COLUMNS);
        assertThat(find(catalog, "account").status()).isEqualTo(Status.SYSTEM_COLUMNS);
        assertThat(catalog.version()).isNotEqualTo(version);
      }
      assertThat(notices).isEmpty();
    }
  }

  private JdbcCatalog pooled(Connection connection, String url) throws SQLException {
    return JdbcCatalog.open(
        connection,
        url,
        "pooled",
        ConnectionSource.NONE,
        CatalogMode.rewriting(Products.catalogs()),
        () -> idle,
        notices::add);
  }

  @Test
  void aTypeIsNotTakenForTheTypeOfPgCatalogWithItsName() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.POSTGRESQL)) {
      shop.run(
          "CREATE TABLE one (id uuid PRIMARY KEY)",
          "CREATE TYPE uuid AS ENUM ('a', 'b')",
          "SET search_path = public, pg_catalog",
          "CREATE TABLE other (id uuid PRIMARY KEY)");
      try (JdbcCatalog catalog = catalog(shop)) {
        assertThat(find(catalog, "one").traits().nameColumns())
            .containsExactly(new KeyColumn("id", KeyColumn.Kind.UUID, true));
        assertThat(find(catalog, "other").traits().nameColumns()).isEmpty();
      }
    }
  }

  @Test
  void theSearchPathDecidesAndARollbackTakesItBack() throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL)) {
      shop.run("CREATE SCHEMA tenant", "CREATE TABLE tenant.account (other INT)");
      try (JdbcCatalog catalog = catalog(shop)) {
        assertThat(catalog.database().place()).endsWith("#public");
        shop.connection().setAutoCommit(false);
        idle = false;
        shop.run("SET search_path TO tenant, public");
        executed(catalog, "SET search_path TO tenant, public");
        assertThat(find(catalog, "account").columns()).containsExactly("other");
        assertThat(find(catalog, "account").name()).isEqualTo("tenant.account");
        assertThat(find(catalog, "public", "account").columns()).hasSize(3);
        assertThat(find(catalog, "public", "account").name()).isEqualTo("account");

        shop.connection().rollback();
        catalog.transactionEnded(false);

        assertThat(find(catalog, "account").columns()).hasSize(3);
        assertThat(find(catalog, "tenant", "account").name()).isEqualTo("tenant.account");
      }
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void aTemporaryTableHidesTheTableOfItsName(ServerKind kind) throws Exception {
    assumeThat(kind).isNotEqualTo(ServerKind.H2); // there it is an error
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop)) {
      assertThat(find(catalog, "account").status())
          .isEqualTo(kind == ServerKind.POSTGRESQL ? Status.SYSTEM_COLUMNS : Status.NOT_PREPARED);
      String ddl = "CREATE TEMPORARY TABLE account (id INT)";
      shop.run(ddl);
      executed(catalog, ddl);
      assertThat(find(catalog, "account").status()).isEqualTo(Status.NOT_A_BASE_TABLE);
    }
  }

  @Test
  void userWithRightsOnSomeColumnsHasNoRights() throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL)) {
      String role = "teller" + System.nanoTime();
      shop.run(
          "CREATE ROLE " + role + " LOGIN",
          "GRANT SELECT (id, owner, balance) ON account TO " + role,
          "GRANT ALL ON transfer TO " + role);
      String url = shop.url().replace("user=postgres", "user=" + role);
      try (Connection connection = DriverManager.getConnection(url);
          JdbcCatalog catalog = catalog(connection, url, false)) {
        assertThat(find(catalog, "account").status()).isEqualTo(Status.NO_RIGHTS);
        assertThat(find(catalog, "transfer").status()).isEqualTo(Status.SYSTEM_COLUMNS);
      }
      shop.run("DROP OWNED BY " + role, "DROP ROLE " + role);
    }
  }

  @ParameterizedTest
  @MethodSource(PREPARED_KINDS)
  void autoPreparesAtFirstSightAlsoWhatIsCreatedLater(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop.connection(), shop.url(), true)) {
      assertThat(find(catalog, "account").status()).isEqualTo(Status.PREPARED);
      assertThat(shop.rows("SELECT txw_wl FROM account")).hasSize(3);

      String ddl = "CREATE TABLE late (id INT PRIMARY KEY)";
      shop.run(ddl);
      executed(catalog, ddl);
      assertThat(find(catalog, "late").status()).isEqualTo(Status.PREPARED);
      assertThat(find(catalog, "rich").status()).isEqualTo(Status.NOT_A_BASE_TABLE);
      assertThat(notices).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource(PREPARED_KINDS)
  @Execution(ExecutionMode.CONCURRENT) // it waits for seconds
  void autoPreparationRetriesTablesThatTheApplicationLocked(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        JdbcCatalog catalog = catalog(shop.connection(), shop.url(), true)) {
      shop.connection().setAutoCommit(false);
      shop.run("UPDATE account SET balance = 1 WHERE id = 1");
      long version = catalog.version();
      assertThat(find(catalog, "account").status()).isEqualTo(Status.NOT_PREPARED);

      shop.connection().commit();
      await().until(() -> catalog.version() != version);
      assertThat(find(catalog, "account").status()).isEqualTo(Status.PREPARED);
      assertThat(notices).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource(PREPARED_KINDS)
  void autoPreparationReportsOnceWhatItCannotPrepare(ServerKind kind) throws Exception {
    try (Shop shop = Shop.empty(kind)) {
      shop.run("CREATE TABLE theirs (id INT PRIMARY KEY, txw_wl VARCHAR(3))");
      try (JdbcCatalog catalog = catalog(shop.connection(), shop.url(), true)) {
        assertThat(find(catalog, "theirs").status()).isEqualTo(Status.NOT_PREPARED);
        catalog.invalidate();
        assertThat(find(catalog, "theirs").status()).isEqualTo(Status.NOT_PREPARED);
        assertThat(notices).singleElement().asString().contains("has a column named txw_rid");
      }
    }
  }

  @Test
  void aDatabaseThatOnlyOneConnectionReachesIsPreparedThroughItWhenItIsIdle() throws Exception {
    String url = "jdbc:h2:mem:";
    try (Connection connection = DriverManager.getConnection(url)) {
      Shop.run(connection, "CREATE TABLE account (id INT PRIMARY KEY)");
      Shop.run(connection, "INSERT INTO account VALUES (1)");
      try (JdbcCatalog catalog = catalog(connection, url, true)) {
        idle = false;
        assertThat(find(catalog, "account").status()).isEqualTo(Status.NOT_PREPARED);
        idle = true;
        assertThat(find(catalog, "account").status()).isEqualTo(Status.PREPARED);
      }
    }
  }

  @Test
  void ownConnectionIsClosedWithTheLastSession() throws Exception {
    String url = "jdbc:h2:mem:gone" + System.nanoTime();
    try (Connection connection = DriverManager.getConnection(url)) {
      Shop.run(connection, "CREATE TABLE account (id INT)");
      try (JdbcCatalog catalog = catalog(connection, url, false)) {
        assertThat(find(catalog, "account").columns()).hasSize(1);
      }
    }
    // H2 drops a database in memory with its last connection
    try (Connection connection = DriverManager.getConnection(url);
        JdbcCatalog catalog = catalog(connection, url, false)) {
      assertThat(catalog.find(List.of("account"))).isEmpty();
    }
  }

  @Test
  void manyThreadsPrepareATableOnce() throws Exception {
    assumeThat(TestServers.missing(ServerKind.MARIADB)).isEmpty();
    String url = TestServers.freshDatabase(ServerKind.MARIADB);
    try (Connection setup = DriverManager.getConnection(url)) {
      Shop.run(setup, "CREATE TABLE account (id INT)");
    }
    List<Thread> threads = new ArrayList<>();
    Status[] seen = new Status[8];
    for (int i = 0; i < seen.length; i++) {
      int mine = i;
      threads.add(
          new Thread(
              () -> {
                try (Connection connection = DriverManager.getConnection(url);
                    JdbcCatalog catalog = catalog(connection, url, true)) {
                  await() // a reader may have been in the way
                      .untilAsserted(
                          () -> {
                            catalog.invalidate();
                            seen[mine] = find(catalog, "account").status();
                            assertThat(seen[mine]).isEqualTo(Status.PREPARED);
                          });
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(Arrays.asList(seen)).containsOnly(Status.PREPARED);
    assertThat(notices).isEmpty();
  }
}
