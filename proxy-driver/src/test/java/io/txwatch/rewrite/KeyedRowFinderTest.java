package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyedRow;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.RewritePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a text has to do with a row that is known by its key. */
class KeyedRowFinderTest {

  private static final TestCatalog CATALOG =
      new TestCatalog(Dialect.MARIADB)
          .prepared("account", "id", "owner varchar(20)", "balance")
          .prepared("tag", "name varchar(20)", "n")
          .prepared("price", "amount decimal(10,2)", "n")
          .prepared("clock", "at changing", "n")
          .with("log", Catalog.Status.NOT_PREPARED, "id", "line");

  private static final TestCatalog SYSTEM_COLUMNS =
      new TestCatalog(Dialect.POSTGRESQL)
          .system("account", "id", "owner", "balance")
          .system("moved", "id changing", "balance changing")
          .with("tag", Catalog.Status.NOT_PREPARED, "id", "n");

  private static String keyed(String sql) {
    return text(
        new RewritePlanner(Products.of(Dialect.MARIADB).sql(), Level.INLINE)
            .plan(sql, CATALOG)
            .keys());
  }

  private static String text(KeyedRow row) {
    List<String> values = row.values().stream().map(KeyedRowFinderTest::text).toList();
    String of = row.table().isEmpty() ? "" : " " + row.table();
    return row.role()
        + of
        + (values.isEmpty() ? "" : " " + String.join(",", row.columns()) + "=")
        + values.stream().collect(Collectors.joining(","));
  }

  private static String text(KeyedRow.Value value) {
    if (value instanceof KeyedRow.Parameter parameter) {
      return "?" + parameter.number() + (parameter.isText() ? "text" : "");
    }
    return value instanceof KeyedRow.IntegerLiteral literal
        ? String.valueOf(literal.value())
        : "'" + ((KeyedRow.TextLiteral) value).value() + "'";
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select * from account where id = 7                        -> READS account id=7",
        "select balance from account a where a.id = ?              -> READS account id=?1",
        "select * from account where owner = ? and id = ? for update -> READS account id=?2",
        "select * from account where (balance > 0 and (`ID` = 7))  -> READS account id=7",
        "select * from account where not balance and id = 7        -> READS account id=7",
        "select * from tag where name = 'a b'                      -> READS tag name='a b'",
        "select * from tag where name = ? limit 1                  -> READS tag name=?1text",
        "update account set balance = ? where id = ?               -> WRITES account id=?2",
        "update account a set a.balance = 1 where a.id = 7 and balance = 3 -> WRITES account id=7",
        "update account set balance = 1 where id = 7 limit 1       -> WRITES account id=7",
      })
  void aKeyIsPinned(String sql, String expected) {
    assertThat(keyed(sql)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select * from account where owner = 'a'                   -> NONE",
        "select * from account where id = 7 or balance = 3         -> NONE",
        "select * from account where id = 7 xor balance = 3        -> NONE",
        "select * from account where id = 7 || balance = 3         -> NONE",
        "select * from account where id = 7 && balance = 3         -> NONE",
        "select * from account where balance between 1 and id = 7  -> NONE",
        "select * from account where balance between 1 and 9 and id = 7 -> READS account id=7",
        "select * from account where case when balance and id = 7 then 1 else 2 end -> NONE",
        "select * from account where (id = 7) is null              -> NONE",
        "select * from account where id = 7 = balance              -> NONE",
        "select * from account where id = 7 + 1                    -> NONE",
        "select * from account where id = '7'                      -> NONE",
        "select * from account where id = 7.0                      -> NONE",
        "select * from account where id = 1234567890123456789      -> NONE",
        "select * from account where id <=> 7                      -> NONE",
        "select * from account where not id = 7                    -> NONE",
        "select * from account where 3 = id                        -> NONE",
        "select * from tag where name = 0                          -> NONE",
        "select * from tag where name = 'ä'                        -> NONE",
        "select * from tag where name = 'a''b'                     -> NONE",
        "select * from tag where name = _utf8'a'                   -> NONE",
        "select * from tag where name = 'a' collate utf8mb4_bin    -> NONE",
        "select * from price where amount = ?                      -> NONE",
        "select count(*) from account where id = 7                 -> NONE",
        "select * from account a, tag t where a.id = 7             -> NONE",
        "select * from account where id in (select id from account where id = 7) -> NONE",
        "update account set balance = 1                            -> NONE",
        "update account set balance = 1 where id > 7               -> NONE",
        "update account set id = 8 where id = 7                    -> MAY_MOVE account",
        "update account set balance = 1, account.`Id` = 8 where id = 7 -> MAY_MOVE account",
        "update clock set n = 1 where at = 7                       -> MAY_MOVE clock",
        "insert into account (id, balance) values (1, 2)           -> MAY_MOVE account",
        "insert into log values (1, 'x')                           -> MAY_MOVE log",
        "delete from account where id = 7                          -> ANY_MAY_MOVE",
        "replace into account (id, balance) values (1, 2)          -> ANY_MAY_MOVE",
        "update account a, tag t set a.balance = 1 where a.id = 7  -> ANY_MAY_MOVE",
        "call p()                                                  -> ANY_MAY_MOVE",
        "update account set balance = 1 where id = 7; commit       -> ANY_MAY_MOVE",
      })
  void noKeyIsPinned(String sql, String expected) {
    assertThat(keyed(sql)).isEqualTo(expected);
  }

  /** PostgreSQL: what does not return its rows, as an item of a batch. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "update account set balance = ? where id = ?               -> WRITES account id=?2",
        "update account a set balance = 1 where a.\"id\" = 7 and balance = 3 -> WRITES account id=7",
        "update account set balance = 1 where owner = 7            -> NONE",
        "update account set balance = 1 where id = 7 or owner = 1  -> NONE",
        "update account set balance = 1 where id = '7'             -> NONE",
        "update account set balance = 1 where id = 7::int          -> NONE",
        "update account set id = 8 where id = 7                    -> NONE",
        "update account set balance = 1 from tag where account.id = 7 -> NONE",
        "update account set balance = 1 where current of c         -> NONE",
        "update moved set balance = 1 where id = 7                 -> NONE",
        "update tag set n = 1 where id = 7                         -> NONE",
        "insert into account (id) values (7) on conflict (id) do update set balance = 1 -> NONE",
        "delete from account where id = 7                          -> NONE",
        "select * from account where id = 7                        -> NONE",
      })
  void theIdOfAnUnreturnedRowIsPinned(String sql, String expected) {
    RewritePlanner planner =
        new RewritePlanner(Products.of(Dialect.POSTGRESQL).sql(), Level.INLINE);
    RewritePlan plan = planner.plan(sql, SYSTEM_COLUMNS, PlanRequest.RETURNING_NOTHING);
    assertThat(text(plan.keys())).isEqualTo(expected);
  }

  @Test
  void aWriteThatReturnsItsRowsNeedsNoKey() {
    RewritePlanner planner =
        new RewritePlanner(Products.of(Dialect.POSTGRESQL).sql(), Level.INLINE);
    String update = "update account set balance = 1 where id = 7";
    assertThat(planner.plan(update, SYSTEM_COLUMNS).keys()).isEqualTo(KeyedRow.NONE);
  }
}
