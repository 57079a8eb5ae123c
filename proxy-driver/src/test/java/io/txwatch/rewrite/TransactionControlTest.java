package io.txwatch.rewrite;

import static io.txwatch.sql.dialect.Dialect.H2;
import static io.txwatch.sql.dialect.Dialect.MARIADB;
import static io.txwatch.sql.dialect.Dialect.MYSQL;
import static io.txwatch.sql.dialect.Dialect.POSTGRESQL;
import static io.txwatch.sql.dialect.Dialect.SQLITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.RewritePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What transaction control in SQL text is read as, in each dialect's spellings (hazard 41). */
class TransactionControlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          POSTGRESQL | BEGIN                                                | Begin[level=Optional.empty]
          POSTGRESQL | begin work isolation level serializable read only;   | Begin[level=Optional[SERIALIZABLE]]
          POSTGRESQL | START TRANSACTION READ WRITE, ISOLATION LEVEL REPEATABLE READ | Begin[level=Optional[REPEATABLE_READ]]
          POSTGRESQL | END AND CHAIN                                        | Commit[chain=true]
          POSTGRESQL | abort                                                | Rollback[chain=false]
          POSTGRESQL | COMMIT AND NO CHAIN                                  | Commit[chain=false]
          POSTGRESQL | COMMIT PREPARED 'x'                                  | BranchOutcome[id='x', committed=true]
          POSTGRESQL | ROLLBACK PREPARED 'x'                                | BranchOutcome[id='x', committed=false]
          POSTGRESQL | PREPARE TRANSACTION 'x'                              | Prepare[id='x']
          POSTGRESQL | PREPARE p AS SELECT 1                                | None[]
          H2         | PREPARE COMMIT x                                     | Prepare[id=x]
          H2         | ROLLBACK TRANSACTION x                               | BranchOutcome[id=x, committed=false]
          MARIADB    | XA START 'a', 'b'                                    | BranchStart[id='a','b']
          MARIADB    | XA END 'a', 'b'                                      | BranchEnd[]
          MYSQL      | XA PREPARE 'a','b'                                   | Prepare[id='a','b']
          MYSQL      | XA COMMIT 'a' ONE PHASE                              | BranchOutcome[id='a', committed=true]
          MYSQL      | XA RECOVER                                           | None[]
          POSTGRESQL | SAVEPOINT "A b"                                      | Savepoint[name=A b]
          POSTGRESQL | rollback work to savepoint SP                        | RollbackTo[name=sp]
          POSTGRESQL | RELEASE Sp                                           | Release[name=sp]
          POSTGRESQL | SET TRANSACTION ISOLATION LEVEL READ COMMITTED       | SetTransaction[level=READ_COMMITTED]
          POSTGRESQL | SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE | SetSession[level=SERIALIZABLE]
          POSTGRESQL | set default_transaction_isolation = 'repeatable read' | SetSession[level=REPEATABLE_READ]
          POSTGRESQL | SET default_transaction_isolation TO serializable    | SetSession[level=SERIALIZABLE]
          POSTGRESQL | SET transaction_isolation = 'serializable'           | SetTransaction[level=SERIALIZABLE]
          POSTGRESQL | CREATE TABLE x (a int)                               | None[]
          POSTGRESQL | SET search_path TO a, b                              | None[]
          MYSQL      | /* c */ START TRANSACTION WITH CONSISTENT SNAPSHOT   | Begin[level=Optional.empty]
          MYSQL      | SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED     | SetTransaction[level=READ_UNCOMMITTED]
          MYSQL      | SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED | SetSession[level=READ_COMMITTED]
          MYSQL      | SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE  | None[]
          MYSQL      | SET @@session.transaction_isolation = 'READ-COMMITTED' | SetSession[level=READ_COMMITTED]
          MYSQL      | SET @@transaction_isolation = 'SERIALIZABLE'         | SetTransaction[level=SERIALIZABLE]
          MYSQL      | SET SESSION transaction_isolation='REPEATABLE-READ'  | SetSession[level=REPEATABLE_READ]
          MARIADB    | SET tx_isolation='READ-COMMITTED'                    | SetSession[level=READ_COMMITTED]
          MARIADB    | SET NAMES utf8mb4, autocommit=0                      | SetAutocommit[on=false]
          MARIADB    | set @@autocommit := ON                               | SetAutocommit[on=true]
          MARIADB    | ROLLBACK TO `s`                                      | RollbackTo[name=s]
          MARIADB    | COMMIT AND CHAIN                                     | Commit[chain=true]
          MARIADB    | ALTER TABLE t ADD b int                              | ImplicitCommit[locks=AS_BEFORE]
          MARIADB    | CREATE TEMPORARY TABLE t (a int)                     | None[]
          MARIADB    | LOCK TABLES t WRITE                                  | ImplicitCommit[locks=HELD]
          MYSQL      | FLUSH TABLES t, u WITH READ LOCK                     | ImplicitCommit[locks=HELD]
          MARIADB    | FLUSH TABLES t FOR EXPORT                            | ImplicitCommit[locks=HELD]
          MYSQL      | FLUSH STATUS                                         | ImplicitCommit[locks=AS_BEFORE]
          MYSQL      | UNLOCK TABLES                                        | ImplicitCommit[locks=RELEASED]
          MARIADB    | LOAD INDEX INTO CACHE t                              | None[]
          H2         | SET AUTOCOMMIT OFF                                   | SetAutocommit[on=false]
          H2         | SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT | SetSession[level=SNAPSHOT]
          H2         | SET LOCK_MODE 0                                      | None[]
          H2         | savepoint s                                          | Savepoint[name=S]
          H2         | TRUNCATE TABLE t                                     | ImplicitCommit[locks=AS_BEFORE]
          SQLITE     | BEGIN IMMEDIATE TRANSACTION                          | Begin[level=Optional.empty]
          OTHER      | BEGIN                                                | Begin[level=Optional.empty]
          OTHER      | BEGIN TRAN                                           | Begin[level=Optional.empty]
          OTHER      | BEGIN UPDATE t SET a = 1                             | None[]
          OTHER      | ROLLBACK TRAN                                        | Rollback[chain=false]
          OTHER      | ROLLBACK AND NO CHAIN                                | Rollback[chain=false]
          OTHER      | ROLLBACK TRANSACTION s                               | RollbackTo[name=s]
          OTHER      | SET IMPLICIT_TRANSACTIONS ON                         | SetAutocommit[on=false]
          SQLITE     | END TRANSACTION                                      | Commit[chain=false]
          SQLITE     | ROLLBACK TRANSACTION TO SAVEPOINT x                  | RollbackTo[name=x]
          SQLITE     | CREATE TABLE x (a)                                   | None[]
          SQLITE     | UPDATE t SET a = 1                                   | None[]
          """)
  void reads(Dialect dialect, String sql, String expected) {
    RewritePlan plan =
        new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE)
            .plan(sql, new TestCatalog(dialect));
    assertThat(plan.control().toString()).isEqualTo(expected);
    assertThat(plan.isRewritten()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          BEGIN; UPDATE t SET a = 1; COMMIT | Several[parts=[Begin[level=Optional.empty], None[], Commit[chain=false]]]
          SELECT ';' ; -- ; the end         | None[]
          """)
  void severalInOneString(String sql, String expected) {
    for (Dialect dialect : new Dialect[] {POSTGRESQL, MYSQL, MARIADB, H2, SQLITE}) {
      RewritePlan plan =
          new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE)
              .plan(sql, new TestCatalog(dialect).prepared("t", "a"));
      assertThat(plan.control().toString()).isEqualTo(expected);
    }
  }
}
