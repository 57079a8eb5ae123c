package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.RowNaming;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.sql.dialect.Dialect;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where a statement has the keys of the rows that it returns: {@code account=?1}, a parameter;
 * {@code account=7}, a literal; {@code account=#2}, the second column of its result, {@code #*2} if
 * a star has its place. {@code renames account}: rows may have other keys after it.
 */
class RowNamingFinderTest {

  private static String names(Dialect dialect, String sql) {
    TestCatalog catalog =
        new TestCatalog(dialect)
            .prepared("account", "id", "owner", "balance")
            .prepared("person", "id", "n")
            .prepared("tag", "name varchar(20)", "n")
            .prepared("price", "amount decimal(10,2)", "n")
            .with("log", Catalog.Status.NOT_PREPARED, "id", "line");
    RowNaming.OfStatement names =
        new RewritePlanner(Products.of(dialect).sql(), Level.INLINE).plan(sql, catalog).names();
    String returned =
        names.returned().stream()
            .map(
                naming ->
                    naming.values().isEmpty()
                        ? "-"
                        : naming.table()
                            + "="
                            + naming.values().stream()
                                .map(RowNamingFinderTest::text)
                                .collect(Collectors.joining(",")))
            .collect(Collectors.joining(" "));
    String renamed =
        names.renamed().stream().map(t -> "renames " + t).collect(Collectors.joining());
    return returned.isEmpty() && renamed.isEmpty() ? "NONE" : (returned + " " + renamed).strip();
  }

  private static String text(RowNaming.Value value) {
    if (value instanceof RowNaming.Parameter parameter) {
      return "?" + parameter.number();
    }
    return value instanceof RowNaming.Selected selected
        ? (selected.isOfStar() ? "#*" : "#") + selected.index()
        : ((RowNaming.Literal) value).text();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select balance from account where id = ?                   -> account=?1",
        "select balance from account where owner = ? and id = 007   -> account=7",
        "select balance, ID from account where balance > 0          -> account=#2",
        "select balance, a.id as n from account a                   -> account=#2",
        "select * from account                                      -> account=#*1",
        "select 1, account.*, 2 from account                        -> account=#*2",
        "select id from account where id = 7                        -> account=#1",
        "select a.id, p.id from account a, person p                 -> account=#1 person=#2",
        "select p.id from account a join person p on p.id = a.owner where a.id = ? "
            + "-> account=?1 person=#1",
        "select a.id, b.owner from account a join account b on b.owner = a.id -> account=#1 -",
        "select b.id from account a left join account b on b.owner = a.id -> - account=#1",
        "with c as (select 1) select id from account                -> account=#1",
        "select name from tag                                       -> tag=#1",
        "select n from tag where name = ?                           -> tag=?1",
        "select n from tag where name = '0b0e7c1a-4f0c-4d3e-9a55-6a1f5ce2d0aa' "
            + "-> tag=0b0e7c1a-4f0c-4d3e-9a55-6a1f5ce2d0aa",
      })
  void keyIsInTheStatement(String sql, String expected) {
    assertThat(names(Dialect.MARIADB, sql)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select balance from account where id > ?                   -> NONE",
        "select balance from account where id = ? or balance = 1    -> NONE",
        "select balance from account where id = '041'               -> NONE",
        "select balance from account where id = 41.0                -> NONE",
        "select balance from account where id = owner               -> NONE",
        "select id + 0 from account                                 -> NONE",
        "select balance id from account                             -> NONE",
        "select abs(id) as id from account                          -> NONE",
        "select n from tag where name = 'bob'                       -> NONE",
        "select amount from price                                   -> NONE",
        "select max(id) from account                                -> NONE",
        "select id, count(*) from account group by id               -> NONE",
        "select distinct id from account                            -> NONE",
        "select id from account union all select id from person     -> NONE",
        "select a.id from (select owner as id from account) a       -> NONE",
        "select p.* from account a join person p on p.id = a.owner  -> NONE",
        "select id from log                                         -> NONE",
        "select balance from account a where exists "
            + "(select 1 from person where id = 7)                  -> NONE",
        "insert into account (id, owner, balance) values (1, 2, 3)  -> NONE",
        "update account set balance = 1 where id = 7                -> NONE",
        "select id, balance into @a, @b from account where id = 7   -> NONE",
        "update account set id = 8 where id = 7                     -> renames account",
        "update account a, person p set a.Id = 8 where p.id = 7     -> renames account",
        "insert into account (id, owner, balance) values (1, 2, 3)"
            + " on duplicate key update id = 9                      -> renames account",
        "insert into account (id, owner, balance) values (1, 2, 3)"
            + " on duplicate key update balance = 9                 -> NONE",
      })
  void keyIsNotSure(String sql, String expected) {
    assertThat(names(Dialect.MARIADB, sql)).startsWith(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '~',
      value = {
        "select id::text, balance from account                      => NONE",
        "select id collate x, balance from account                  => NONE",
        "select (id), balance from account                          => NONE",
        "select balance from account where id = 7::bigint           => NONE",
        "with c as (select id from account) select id from c        => NONE",
        "with c as (select id, balance from account)"
            + " select c.id from c join person p on p.id = c.id     => NONE",
      })
  void nothingElseThanTheColumnIsTheKey(String sql, String expected) {
    assertThat(names(Dialect.POSTGRESQL, sql)).isEqualTo(expected);
  }
}
