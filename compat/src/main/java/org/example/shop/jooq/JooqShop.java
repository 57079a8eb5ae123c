package org.example.shop.jooq;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.example.shop.Shop;
import org.example.shop.Workload;
import org.example.shop.jdbc.PooledShop;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Schema;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.tools.jdbc.JDBCUtils;

/** jOOQ. */
public final class JooqShop implements Shop {

  private static final Table<Record> PRODUCT = table("product");
  private static final Table<Record> PURCHASE = table("purchase");
  private static final Field<Long> ID = field("id", Long.class);
  private static final Field<String> NAME = field("name", String.class);
  private static final Field<Integer> STOCK = field("stock", Integer.class);
  private static final Field<Long> PRODUCT_ID = field("product_id", Long.class);
  private static final Field<Integer> QUANTITY = field("quantity", Integer.class);

  private final HikariDataSource pool;
  private final DSLContext jooq;
  private final String database;

  /** Opens it. */
  public JooqShop(String url) throws SQLException {
    pool = PooledShop.hikari(url);
    try (Connection connection = pool.getConnection()) {
      jooq = DSL.using(pool, JDBCUtils.dialect(connection));
      database = connection.getCatalog();
    }
  }

  /**
   * Runs it.
   *
   * @param arguments the URL
   */
  public static void main(String[] arguments) throws Exception {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    Workload.run(new JooqShop(arguments[0]));
  }

  @Override
  public long add(String name, int stock) {
    return jooq.insertInto(PRODUCT)
        .set(NAME, name)
        .set(STOCK, stock)
        .returningResult(ID)
        .fetchSingle()
        .value1();
  }

  @Override
  public String addAll(List<String> names) {
    var batch = jooq.batch(jooq.insertInto(PRODUCT, NAME, STOCK).values("", 10));
    for (String name : names) {
      batch = batch.bind(name, 10);
    }
    return Arrays.toString(batch.execute());
  }

  @Override
  public List<String> products() {
    return jooq.select().from(PRODUCT).orderBy(ID).fetch().stream()
        .map(row -> row.intoMap().toString())
        .toList();
  }

  @Override
  public String purchases() {
    return jooq.select(count(), sum(QUANTITY)).from(PURCHASE).fetchSingle().intoList().toString();
  }

  @Override
  public void buy(long product, int quantity, boolean fails) {
    jooq.transaction(
        transaction -> {
          DSLContext inside = transaction.dsl();
          inside.insertInto(PURCHASE).set(PRODUCT_ID, product).set(QUANTITY, quantity).execute();
          inside.update(PRODUCT).set(STOCK, STOCK.minus(quantity)).where(ID.eq(product)).execute();
          if (fails) {
            throw new IllegalStateException("out of stock");
          }
        });
  }

  @Override
  public void sell(long product, Runnable meanwhile) {
    jooq.transaction(
        transaction -> {
          var select = transaction.dsl().select(STOCK).from(PRODUCT).where(ID.eq(product));
          int stock = select.fetchSingle().value1(); // read
          meanwhile.run();
          var update = transaction.dsl().update(PRODUCT).set(STOCK, stock - 1);
          update.where(ID.eq(product)).execute(); // write
        });
  }

  @Override
  public int remove(String name) {
    return jooq.deleteFrom(PRODUCT).where(NAME.eq(name)).execute();
  }

  @Override
  public List<String> metadata() {
    List<String> lines = new ArrayList<>();
    for (Table<?> table : jooq.meta().getTables()) {
      String name = table.getName().toLowerCase(Locale.ROOT);
      if (isOurs(table) && (name.equals("product") || name.equals("purchase"))) {
        lines.add(table + " " + table.getPrimaryKey() + " " + table.getReferences());
        for (Field<?> column : table.fields()) {
          lines.add(table.getName() + " " + column + " " + column.getDataType());
        }
      }
    }
    return lines;
  }

  /** Other databases of a server have tables of these names, too. */
  private boolean isOurs(Table<?> table) {
    Schema schema = table.getSchema();
    return jooq.family() != SQLDialect.MARIADB
        || (schema != null && schema.getName().equals(database));
  }

  @Override
  public void close() {
    pool.close();
  }
}
