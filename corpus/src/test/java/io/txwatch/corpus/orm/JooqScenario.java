package io.txwatch.corpus.orm;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;

import io.txwatch.servers.ServerKind;
import java.math.BigDecimal;
import java.sql.Connection;
import java.util.Arrays;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** jOOQ: quoted names, RETURNING and keys, upserts, MERGE, windows, limits, locks, batches. */
final class JooqScenario implements LibraryScenario {

  @Override
  public void create(ServerKind kind, DataSource database) throws Exception {
    LibraryScenario.shop(kind, database);
  }

  private static final class Names {
    final Table<Record> customer;
    final Table<Record> purchase;
    final Field<Integer> id;
    final Field<String> fullName;
    final Field<String> email;
    final Field<Integer> points;
    final Field<Integer> purchaseId;
    final Field<Integer> customerId;
    final Field<BigDecimal> total;
    final Field<String> note;

    Names(boolean upper) {
      customer = table(name(cased("customer", upper)));
      purchase = table(name(cased("purchase", upper)));
      id = field(name(cased("customer", upper), cased("id", upper)), SQLDataType.INTEGER);
      fullName = field(name(cased("customer", upper), cased("name", upper)), SQLDataType.VARCHAR);
      email = field(name(cased("customer", upper), cased("email", upper)), SQLDataType.VARCHAR);
      points = field(name(cased("customer", upper), cased("points", upper)), SQLDataType.INTEGER);
      purchaseId = field(name(cased("purchase", upper), cased("id", upper)), SQLDataType.INTEGER);
      customerId =
          field(name(cased("purchase", upper), cased("customer_id", upper)), SQLDataType.INTEGER);
      total =
          field(name(cased("purchase", upper), cased("total", upper)), SQLDataType.DECIMAL(10, 2));
      note = field(name(cased("purchase", upper), cased("note", upper)), SQLDataType.VARCHAR);
    }

    private static String cased(String text, boolean upper) {
      return upper ? text.toUpperCase(java.util.Locale.ROOT) : text;
    }
  }

  private static SQLDialect dialect(ServerKind kind) {
    return switch (kind) {
      case POSTGRESQL -> SQLDialect.POSTGRES;
      case MARIADB -> SQLDialect.MARIADB;
      case MYSQL -> SQLDialect.MYSQL;
      case H2 -> SQLDialect.H2;
      case SQLITE -> SQLDialect.SQLITE;
    };
  }

  @Override
  public void use(ServerKind kind, DataSource database, Consumer<String> sees) throws Exception {
    Names n = new Names(kind == ServerKind.H2);
    try (Connection connection = database.getConnection()) {
      DSLContext jooq = DSL.using(connection, dialect(kind));
      jooq.transaction(
          configuration -> {
            DSLContext inside = DSL.using(configuration);
            for (int i = 1; i <= 5; i++) {
              Record key =
                  inside
                      .insertInto(n.customer)
                      .set(n.fullName, "customer " + i)
                      .set(n.email, "c" + i + "@x.org")
                      .returning(n.id)
                      .fetchOne();
              sees.accept("key " + (key == null ? "none" : key.get(n.id)));
            }
            sees.accept(
                "rows "
                    + inside
                        .insertInto(n.purchase, n.customerId, n.total, n.note)
                        .values(1, new BigDecimal("10.00"), "a")
                        .values(1, new BigDecimal("20.00"), "b")
                        .values(2, new BigDecimal("5.50"), "a")
                        .execute());
          });
      queries(jooq, n, sees);
      writes(kind, jooq, n, sees);
      try {
        jooq.transaction(
            configuration -> {
              DSL.using(configuration).update(n.customer).set(n.points, 77).execute();
              DSL.using(configuration)
                  .insertInto(n.customer, n.fullName, n.email)
                  .values("twin", "c1@x.org")
                  .execute();
            });
      } catch (DataAccessException e) {
        sees.accept("refused " + e.sqlState());
      }
      show("at last", jooq.selectFrom(n.customer).orderBy(n.id).fetch(), sees);
      show("at last", jooq.selectFrom(n.purchase).orderBy(n.purchaseId).fetch(), sees);
    }
  }

  private static void show(String what, Result<? extends Record> result, Consumer<String> sees) {
    sees.accept(what + " " + Arrays.toString(result.fields()));
    for (Record record : result) {
      sees.accept(what + " " + Arrays.toString(record.intoArray()));
    }
  }

  private static void queries(DSLContext jooq, Names n, Consumer<String> sees) {
    show("all", jooq.select().from(n.customer).orderBy(n.id).fetch(), sees);
    show("page", jooq.select(n.id).from(n.customer).orderBy(n.id).limit(2).offset(1).fetch(), sees);
    show(
        "join",
        jooq.select(n.fullName, n.total)
            .from(n.customer)
            .leftJoin(n.purchase)
            .on(n.customerId.eq(n.id))
            .orderBy(n.id, n.purchaseId)
            .fetch(),
        sees);
    show(
        "groups",
        jooq.select(n.customerId, count(), sum(n.total))
            .from(n.purchase)
            .groupBy(n.customerId)
            .having(count().gt(0))
            .orderBy(n.customerId)
            .fetch(),
        sees);
    show("distinct", jooq.selectDistinct(n.note).from(n.purchase).orderBy(n.note).fetch(), sees);
    show(
        "exists",
        jooq.select(n.id)
            .from(n.customer)
            .where(exists(selectOne().from(n.purchase).where(n.customerId.eq(n.id))))
            .and(n.id.in(select(n.customerId).from(n.purchase)))
            .orderBy(n.id)
            .fetch(),
        sees);
    show(
        "union",
        jooq.select(n.fullName)
            .from(n.customer)
            .where(n.id.lt(3))
            .union(select(n.note).from(n.purchase))
            .orderBy(1)
            .fetch(),
        sees);
    show(
        "window",
        jooq.select(
                n.purchaseId, rowNumber().over().partitionBy(n.customerId).orderBy(n.purchaseId))
            .from(n.purchase)
            .orderBy(n.purchaseId)
            .fetch(),
        sees);
    show(
        "with",
        jooq.with(name("q").fields(name("k")).as(select(n.customerId).from(n.purchase)))
            .select(count())
            .from(table(name("q")))
            .fetch(),
        sees);
    show("lock", jooq.select(n.id).from(n.customer).where(n.id.eq(1)).forUpdate().fetch(), sees);
    show(
        "rows",
        jooq.select(n.id).from(n.customer).where(row(n.id, n.points).eq(row(1, 0))).fetch(),
        sees);
    sees.accept("count " + jooq.fetchCount(n.customer));
    sees.accept(
        "exists "
            + jooq.fetchExists(jooq.selectFrom(n.purchase).where(n.total.gt(BigDecimal.TEN))));
  }

  private static void writes(ServerKind kind, DSLContext jooq, Names n, Consumer<String> sees) {
    sees.accept(
        "update "
            + jooq.update(n.customer).set(n.points, n.points.plus(5)).where(n.id.le(2)).execute());
    var duplicate = jooq.insertInto(n.customer, n.fullName, n.email).values("again", "c2@x.org");
    var third = jooq.insertInto(n.customer, n.fullName, n.email).values("three", "c3@x.org");
    switch (kind) {
      case MYSQL, MARIADB -> {
        sees.accept("ignored " + duplicate.onDuplicateKeyIgnore().execute());
        sees.accept(
            "upsert " + third.onDuplicateKeyUpdate().set(n.fullName, "three again").execute());
      }
      case POSTGRESQL, SQLITE -> {
        sees.accept("ignored " + duplicate.onConflict(n.email).doNothing().execute());
        sees.accept(
            "upsert "
                + third.onConflict(n.email).doUpdate().set(n.fullName, "three again").execute());
      }
      case H2 ->
          sees.accept(
              "merge "
                  + jooq.mergeInto(n.customer)
                      .usingDual()
                      .on(n.email.eq("c3@x.org"))
                      .whenMatchedThenUpdate()
                      .set(n.fullName, "three again")
                      .execute());
    }
    sees.accept(
        "batch "
            + Arrays.toString(
                jooq.batch(
                        jooq.insertInto(n.purchase, n.customerId, n.total, n.note)
                            .values((Integer) null, null, null))
                    .bind(2, new BigDecimal("1.00"), "x")
                    .bind(3, new BigDecimal("2.00"), "y")
                    .execute()));
    sees.accept(
        "select into "
            + jooq.insertInto(n.purchase, n.customerId, n.note)
                .select(select(n.id, n.fullName).from(n.customer).where(n.id.eq(4)))
                .execute());
    sees.accept("delete " + jooq.deleteFrom(n.purchase).where(n.note.eq("x")).execute());
    sees.accept("nothing " + jooq.deleteFrom(n.purchase).where(n.purchaseId.eq(99)).execute());
  }
}
