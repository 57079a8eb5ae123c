package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.RowCondition;
import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.ValuePlan;
import io.txwatch.plan.ValuePlan.Place;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a statement says itself of its rows. {@code account[#1] owner#2}: the key is the result's
 * first column, the owner its second; {@code [?1]} a parameter, {@code [7]} a literal, {@code [.]}
 * computed by the DBMS; {@code to [?2]} where the key is afterwards; {@code !} in front of a table:
 * one row at most; {@code of 3}: if the result has three columns; {@code +}: and rows that it does
 * not state; {@code -- why}: what is not read.
 */
class ValuePlannerTest {

  private static String plan(String sql) {
    TestCatalog catalog =
        new TestCatalog(Dialect.MARIADB)
            .with("account", Status.NOT_PREPARED, "id", "owner", "balance")
            .with("person", Status.NOT_PREPARED, "id", "n")
            .with("log", Status.NOT_PREPARED, "at double", "n")
            .with("old", Status.NOT_PREPARED, "at double", "n changing")
            .with("tag", Status.NOT_PREPARED, "name varchar(20)", "n")
            .view("rich", "select id, owner from account", "id", "owner");
    ValuePlan plan = plan(sql, catalog);
    List<String> parts = new ArrayList<>();
    for (ValuePlan.Read read : plan.reads()) {
      StringBuilder text = new StringBuilder(read.pinned() ? "!" : "");
      text.append(read.table()).append(places(read.keyPlaces()));
      for (int i = 0; i < read.columns().size(); i++) {
        text.append(' ').append(read.columns().get(i)).append(place(read.places().get(i)));
      }
      parts.add(text.toString());
    }
    if (plan.resultColumns() >= 0) {
      parts.add("of " + plan.resultColumns());
    }
    plan.write().ifPresent(write -> parts.add(text(write)));
    if (!plan.unread().isEmpty()) {
      parts.add("-- " + plan.unread());
    }
    return parts.isEmpty() ? "NOTHING" : String.join(" ", parts);
  }

  private static ValuePlan plan(String sql, TestCatalog catalog) {
    return new UntouchedPlanner(Products.of(Dialect.MARIADB).sql(), true)
        .plan(sql, catalog)
        .values()
        .orElse(ValuePlan.without(""));
  }

  private static String text(ValuePlan.Write write) {
    StringBuilder text = new StringBuilder(write.access() + " " + write.table());
    for (ValuePlan.Row row : write.rows()) {
      text.append(places(row.key()));
      for (int i = 0; i < write.columns().size(); i++) {
        text.append(' ').append(write.columns().get(i)).append(place(row.values().get(i)));
      }
    }
    if (!write.newKey().isEmpty()) {
      text.append(" to ").append(places(write.newKey()));
    }
    return text.append(write.complete() ? "" : " +").toString();
  }

  private static String places(List<Place> places) {
    return places.stream().map(ValuePlannerTest::place).collect(Collectors.joining(",", "[", "]"));
  }

  private static String place(Place place) {
    if (place instanceof ValuePlan.Selected selected) {
      return "#" + selected.index();
    } else if (place instanceof ValuePlan.Parameter parameter) {
      return "?"
          + parameter.number()
          + (parameter.cast() == ValuePlan.Cast.NONE ? "" : " " + parameter.cast());
    }
    return place instanceof ValuePlan.Literal literal ? literal.value().toString() : ".";
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select balance from account where id = ?            -> !account[?1] balance#1",
        "select balance from account where id = 7 for update -> !account[7] balance#1",
        "select balance from account where id = cast(? as bigint) "
            + "-> !account[?1 INTEGER] balance#1",
        "select balance from account where id = cast(7 as integer) -> !account[7] balance#1",
        "select id, balance b from account where owner = ?   -> account[#1] id#1 balance#2",
        "select * from account             -> account[#1] id#1 owner#2 balance#3 of 3",
        "select 1, a.*, n from account a join person p on p.id = a.owner "
            + "-> account[#2] id#2 owner#3 balance#4 of 5"
            + " -- the key of person is not in the result",
        "select p.id, a.id, balance, n from account a, person p where p.id = a.owner "
            + "-> account[#2] id#2 balance#3 person[#1] id#1 n#4",
        "select a.balance, b.balance from account a, account b where a.id = ? and b.id = ? "
            + "-> account[?1] balance#1 account[?2] balance#2",
        "select balance + 1, balance from account where id = 3 -> !account[3] balance#2",
        "select id from account order by balance limit 3       -> account[#1] id#1",
      })
  void aQueryShowsKeysAndPlainColumns(String sql, String expected) {
    assertThat(plan(sql)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select balance from account where id > ?       -> the key of account is not in the result",
        "select balance from account where id = owner   -> the key of account is not in the result",
        "select balance from account where id = cast(? as decimal(9, 2))"
            + " -> the key of account is not in the result",
        "select balance from account where id = cast('7' as bigint)"
            + " -> the key of account is not in the result",
        "select balance from account where id = cast(? as varchar)"
            + " -> the key of account is not in the result",
        "select balance from account where id = 1 or id = 2"
            + " -> the key of account is not in the result",
        "select n from tag where name = ?               -> the key of tag is not in the result",
        "select id from account where owner in (select id from person) -> a subquery",
        "select id from account union select id from person            -> a set operation",
        "select distinct id, balance from account                      -> DISTINCT",
        "select id, count(*) from account group by id                  -> GROUP BY",
        "select max(id) from account   -> an aggregate, or a function that may be one",
        "select 2 from account having 1 = 1                            -> HAVING",
        "select id from rich           -> the key of rich is not in the result",
        "select id from elsewhere      -> elsewhere is not a table that txwatch has found",
        "select a.id from (select * from account) a                    -> a subquery",
        "select * from account natural join person -> the key of account is not in the result",
      })
  void whatItDoesNotShowIsUnread(String sql, String reason) {
    assertThat(plan(sql)).endsWith("-- " + reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "update account set balance = ?, owner = owner + 1 where id = ?"
            + " -> UPDATE account[?2] balance?1 owner.",
        "update account set balance = 0 where id = 7 and owner = ? -> UPDATE account[7] balance0",
        "update account set balance = 0 where owner = 7            -> UPDATE account +",
        "update account set ID = ?, owner = 1 where id = ?"
            + " -> UPDATE account[?2] id?1 owner1 to [?1]",
        "update account set id = id + 1 where id = 7 -> UPDATE account[7] id. to [.]",
        "update account set id = 7 where owner = 7   -> UPDATE account +",
        "delete from account where id = ?                          -> DELETE account[?1]",
        "delete from account                                       -> DELETE account +",
        "update account set balance = cast(? as int), owner = cast(1.5 as int)"
            + " where id = cast(? as bigint)"
            + " -> UPDATE account[?2 INTEGER] balance?1 INTEGER owner.",
        "update account set balance = cast('1' as int), owner = cast(? as char(3)) where id = 1"
            + " -> UPDATE account[1] balance. owner.",
        "insert into account (owner, id) values (?, ?), ('x', 9)"
            + " -> INSERT account[?2] owner?1 id?2[9] ownerx id9",
        "insert into account values (1, 2, abs(3)) -> INSERT account[1] id1 owner2 balance.",
        "insert into account (owner) values (?)    -> INSERT account[.] owner?1 +",
        "insert into account set id = 4, owner = ? -> INSERT account[4] id4 owner?1",
        "insert into log values (?, 2), (1, 3)     -> INSERT log[] at?1 n2[] at1 n3",
        "insert into log set n = ?                 -> INSERT log[] n?1",
        "insert into log select 1, 2               -> INSERT log + -- a query in a write",
        "insert into old values (1, 2)             -> INSERT old +",
        "insert into account values (1, 2, 3) on duplicate key update balance = 0"
            + " -> INSERT account +",
        "replace into account values (1, 2, 3)     -> INSERT account +",
        "insert into account select * from person  -> INSERT account + -- a query in a write",
        "update account a join person p on p.id = a.owner set a.balance = 0 where a.id = 1"
            + " -> NOTHING",
        "begin                                     -> NOTHING",
      })
  void aWriteStatesItsRows(String sql, String expected) {
    assertThat(plan(sql)).isEqualTo(expected);
  }

  // ---------------------------------------------------------------- conditions

  /** {@code 1:} in front: the result is one row; {@code ?} is a condition that is not known. */
  private static String choice(String sql) {
    TestCatalog catalog =
        new TestCatalog(Dialect.MARIADB)
            .with("account", Status.NOT_PREPARED, "id", "owner", "balance")
            .with("person", Status.NOT_PREPARED, "id", "n")
            .view("rich", "select id, owner from account", "id", "owner");
    return plan(sql, catalog)
        .choice()
        .map(of -> (of.oneRow() ? "1: " : "") + text(of.condition(), of.constants()))
        .orElse("NONE");
  }

  private static String text(RowCondition condition, List<Place> constants) {
    if (condition instanceof RowCondition.And and) {
      return joined(and.conditions(), " and ", constants);
    } else if (condition instanceof RowCondition.Or or) {
      return joined(or.conditions(), " or ", constants);
    } else if (condition instanceof RowCondition.Not not) {
      return "not " + text(not.condition(), constants);
    } else if (condition instanceof RowCondition.IsNull isNull) {
      return text(isNull.operand(), constants) + " is null";
    } else if (condition instanceof RowCondition.Compare compare) {
      return text(compare.left(), constants)
          + " "
          + compare.comparison().name().toLowerCase(Locale.ROOT)
          + " "
          + text(compare.right(), constants);
    }
    return "?";
  }

  private static String joined(List<RowCondition> of, String with, List<Place> constants) {
    return of.isEmpty()
        ? "ALL"
        : of.stream().map(one -> text(one, constants)).collect(Collectors.joining(with, "(", ")"));
  }

  private static String text(RowCondition.Operand operand, List<Place> constants) {
    if (operand instanceof RowCondition.Column column) {
      return column.name();
    } else if (operand instanceof RowCondition.Remainder remainder) {
      return text(remainder.dividend(), constants) + "%" + text(remainder.divisor(), constants);
    }
    return "[" + place(constants.get(((RowCondition.Constant) operand).index())) + "]";
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '~',
      value = {
        "select * from account                                 -> ALL",
        "select count(*) from account                          -> 1: ALL",
        "select sum(a.balance), 7 from account as a where a.owner = ?" + " -> 1: owner equal [?1]",
        "select owner, count(*) from account where balance >= -5 group by owner"
            + " -> balance greater_or_equal [-5]",
        "select count(*) over () from account where balance <> 1.50 -> balance not_equal [1.50]",
        "select distinct owner from account where 3 < id and (owner = 'x' or owner is not null)"
            + " -> ([3] less id and (owner equal [x] or not owner is null))",
        "select id from account where id between ? and ? order by id for update"
            + " -> (id greater_or_equal [?1] and id less_or_equal [?2])",
        "select id from account where owner not in (1, ?) -> "
            + "not (owner equal [1] or owner equal [?1])",
        "select id from account where id % 3 = 0 and balance % owner = 1"
            + " -> (id%[3] equal [0] and balance%owner equal [1])",
        "select id from account where not (id = 1)  -> not id equal [1]",
        "select id from account where not id = 1    -> ?", // depends on a mode of MySQL
        "select id from account where owner like 'x%' and id = 1 -> (? and id equal [1])",
        "select id from account where id = 1 + 2                  -> ?",
        "select id from account where id <=> 1 or balance = now() -> (? or ?)",
        "select id from account where balance = owner collate utf8mb4_bin -> ?",
        "select id from account where id between owner and x'41' -> (id greater_or_equal owner and ?)",
        // What is chosen is not what is returned, or is not known.
        "select id from account limit 3                        -> NONE",
        "select owner from account group by owner having count(*) > 1 -> NONE",
        "select id from account where id = 1 for update skip locked -> NONE",
        "select id from account partition (p0) where id = 1    -> NONE",
        "select id from account use index (i) where id = 1     -> NONE",
        "select id from account union select id from person    -> NONE",
        "select id from account where id in (select id from person) -> NONE",
        "select a.id from account a join person p on p.id = a.id    -> NONE",
        "select id from (select id from account) a             -> NONE",
        "select id from rich                                   -> NONE",
        "select id from elsewhere                              -> NONE",
        "select id into outfile 'x' from account               -> NONE",
        "select 1                                              -> NONE",
      })
  void howAQueryChoosesItsRows(String sql, String expected) {
    assertThat(choice(sql)).isEqualTo(expected);
  }
}
