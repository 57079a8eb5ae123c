package io.txwatch.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.RewritePlanner.Level;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a text of PostgreSQL's has to do with rows that its transaction has locked. */
class LockedRowsTest {

  private static final TestCatalog CATALOG =
      new TestCatalog(Dialect.POSTGRESQL)
          .prepared("account", "id integer", "owner varchar(20)", "balance integer")
          .prepared("tag", "name character varying(20)", "n integer")
          .prepared("note", "name text", "n integer")
          .prepared("days", "day date", "n integer")
          .prepared("list", "ids integer[]", "n integer")
          .runningNothing()
          .prepared("audited", "id integer", "n integer");

  private static String keyed(String sql, Level level) {
    KeyedRow row = new RewritePlanner(Dialect.POSTGRESQL, level).plan(sql, CATALOG, true).keys();
    List<String> values =
        row.values().stream()
            .map(
                value ->
                    value instanceof KeyedRow.Parameter parameter
                        ? "?" + parameter.number()
                        : value instanceof KeyedRow.IntegerLiteral literal
                            ? String.valueOf(literal.value())
                            : "'" + ((KeyedRow.TextLiteral) value).value() + "'")
            .toList();
    String columns = String.join(",", row.columns());
    return row.role()
        + (row.certain() ? " certain" : "")
        + (row.table().isEmpty() ? "" : " " + row.table())
        + (values.isEmpty() ? "" : " " + columns + "=")
        + values.stream().collect(Collectors.joining(","));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select balance from account where id = ? for update       -> READS certain account id=?1",
        "select * from account a where a.id = 7 for no key update nowait -> READS certain account id=7",
        "select * from account where id = 7 and balance > 0 for update of account skip locked -> READS certain account id=7",
        "select * from tag where name = 'a' for update             -> READS certain tag name='a'",
        "select * from note where name = ? limit 1 for update      -> READS certain note name=?1",
        "update account set balance = ? where id = ?               -> WRITES certain account id=?2",
        "update account a set balance = 1 where a.id = 7 and balance = 3 -> WRITES certain account id=7",
        "update account set owner = lower(owner) where id = 7      -> WRITES certain account id=7",
        // They leave what is known as it is, and show no lock.
        "select balance from account where id = 7                  -> NONE",
        "select balance from account where id = 7 for share        -> NONE",
        "select balance from account where id = 7 for key share    -> NONE",
        "select balance from account where id = 7 for update for share -> NONE",
        "select balance from account where balance = 7 for update  -> NONE",
        "select * from days where day = ? for update               -> NONE",
        "select * from list where ids = ? for update               -> NONE",
        "select * from account where id = 7 or id = 8 for update   -> NONE",
        "select * from account a, tag t where a.id = 7 for update  -> NONE",
        "select sum(balance), max(n) from account, tag             -> NONE",
        "select 1                                                  -> NONE",
        // They may write rows of their table under any key.
        "update account set balance = 1 where balance = 2          -> MAY_MOVE account",
        "update account set balance = 1                            -> MAY_MOVE account",
        "update account set id = 8 where id = 7                    -> MAY_MOVE account",
        "update account set balance = 1 where id = 7 returning id  -> MAY_MOVE account",
        "update account set balance = 1 where id = 7 or id = 8     -> MAY_MOVE account",
        "update days set n = 1 where day = ?                       -> MAY_MOVE days",
        "insert into account (id, balance) values (1, 2)           -> MAY_MOVE account",
        "insert into account values (1) on conflict (id) do nothing -> ANY_MAY_MOVE",
        // They may do anything.
        "select f(1)                                               -> ANY_MAY_MOVE",
        "select s.now() from account                               -> ANY_MAY_MOVE",
        "select nextval('s')                                       -> ANY_MAY_MOVE",
        "select balance from account where id = f(7) for update    -> ANY_MAY_MOVE",
        "select * from account where id = 7; select 1              -> ANY_MAY_MOVE",
        "update account set balance = f(1) where id = 7            -> ANY_MAY_MOVE",
        "update audited set n = 1 where id = 7                     -> ANY_MAY_MOVE",
        "update account set balance = 1 from tag where id = 7      -> ANY_MAY_MOVE",
        "insert into audited values (1, 2)                         -> ANY_MAY_MOVE",
        "insert into account (id) values (f(1))                    -> ANY_MAY_MOVE",
        "with w as (update account set balance = 1 returning id) select * from w -> ANY_MAY_MOVE",
        "delete from account where id = 7                          -> ANY_MAY_MOVE",
        "truncate account                                          -> ANY_MAY_MOVE",
        "call p()                                                  -> ANY_MAY_MOVE",
        "do 'begin end'                                            -> ANY_MAY_MOVE",
        "set search_path = b                                       -> ANY_MAY_MOVE",
        "explain analyze update account set balance = 1 where id = 7 -> ANY_MAY_MOVE",
        "copy account from stdin                                   -> ANY_MAY_MOVE",
      })
  void rowsThatAreLocked(String sql, String expected) {
    assertThat(keyed(sql, Level.INLINE)).isEqualTo(expected);
  }

  /** There it would be asked for its row by a statement more. */
  @ParameterizedTest
  @CsvSource({"ITEMS", "PREDICATES"})
  void withReadsBesideItAWriteReturnsItsRow(Level level) {
    assertThat(keyed("update account set balance = 1 where id = 7", level))
        .isEqualTo("MAY_MOVE account");
  }

  private static final TestCatalog INNODB =
      new TestCatalog(Dialect.MARIADB)
          .prepared("account", "id int", "owner varchar(20)", "balance int not null", "n int")
          .prepared("tag", "name varchar(20)", "n int not null")
          .runningNothing()
          .prepared("audited", "id int", "n int not null")
          .strict();

  private static String onInnoDb(String sql, Level level) {
    KeyedRow row = new RewritePlanner(Dialect.MARIADB, level).plan(sql, INNODB, true).keys();
    return row.role()
        + (row.certain() ? " certain" : "")
        + (row.unsettled() == KeyedRow.Unsettled.NONE ? "" : " unsettles " + row.unsettled());
  }

  /** On MySQL and MariaDB rows are known by a key, locked or not: two facts for each. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select balance from account where id = ? for update       -> READS certain",
        "select * from tag where name = 'a' for update skip locked -> READS certain",
        "update account set balance = balance + 1, n = ? where id = ? -> WRITES certain",
        "update account set balance = balance - 1 where id = 7 and n = 3 -> WRITES certain",
        "select * from account where id = 7                        -> READS",
        "select * from account where id = 7 for share              -> READS",
        "select * from account where id = 7 lock in share mode     -> READS",
        "select * from account where n = 7 for update              -> NONE",
        "select 1                                                  -> NONE",
        // They may have changed nothing, or rows by no key.
        "update account set balance = ? where id = ?               -> WRITES unsettles OF_TABLE",
        "update account set balance = balance + ? where id = ?     -> WRITES unsettles OF_TABLE",
        "update account set n = n + 1 where id = 7                 -> WRITES unsettles OF_TABLE",
        "update account set owner = lower(owner) where id = 7      -> WRITES unsettles OF_TABLE",
        "update account set balance = balance + 1 where n = 7      -> NONE unsettles OF_TABLE",
        "update account set balance = balance + 1                  -> NONE unsettles OF_TABLE",
        "insert into account values (1, 'a', 2, 3)                 -> MAY_MOVE unsettles OF_TABLE",
        // They may do anything.
        "update account set id = 8, balance = balance + 1 where id = 7 -> MAY_MOVE unsettles ALL",
        "insert into account (id) values (1) on duplicate key update n = 2 -> MAY_MOVE unsettles ALL",
        "insert into audited values (1, 2)                         -> MAY_MOVE unsettles ALL",
        "update audited set n = n + 1 where id = 7                 -> WRITES unsettles ALL",
        "update account set balance = f(1) where id = 7            -> WRITES unsettles ALL",
        "select f(1)                                               -> NONE unsettles ALL",
        "select * from account where id = 7 and f(1) = 2 for update -> READS unsettles ALL",
        "select @a := 1                                            -> NONE unsettles ALL",
        "replace into account values (1, 'a', 2, 3)                -> ANY_MAY_MOVE unsettles ALL",
        "delete from account where id = 7                          -> ANY_MAY_MOVE unsettles ALL",
        "update account a, tag t set a.balance = a.balance + 1 where a.id = 7 -> ANY_MAY_MOVE unsettles ALL",
        "call p()                                                  -> ANY_MAY_MOVE unsettles ALL",
        "set autocommit = 0                                        -> ANY_MAY_MOVE unsettles ALL",
      })
  void rowsThatAreLockedOnInnoDb(String sql, String expected) {
    assertThat(onInnoDb(sql, Level.INLINE)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"ITEMS", "PREDICATES"})
  void withReadsBesideItAWriteOfInnoDbAppends(Level level) {
    assertThat(onInnoDb("update account set balance = balance + 1 where id = 7", level))
        .isEqualTo("WRITES unsettles OF_TABLE");
    assertThat(onInnoDb("select * from account where id = 7 for update", level)).isEqualTo("READS");
  }
}
