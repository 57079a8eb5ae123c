package org.example.shop.jdbi;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.example.shop.Schema;
import org.example.shop.Shop;
import org.example.shop.Workload;
import org.example.shop.jdbc.PooledShop;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Jdbi. */
public final class JdbiShop implements Shop {

  private final HikariDataSource pool;
  private final Jdbi jdbi;

  /** Opens it. */
  public JdbiShop(String url) {
    pool = PooledShop.hikari(url);
    jdbi = Jdbi.create(pool);
  }

  /**
   * Runs it.
   *
   * @param arguments the URL
   */
  public static void main(String[] arguments) throws Exception {
    Workload.run(new JdbiShop(arguments[0]));
  }

  @Override
  public long add(String name, int stock) {
    return jdbi.withHandle(
        handle ->
            handle
                .createUpdate("INSERT INTO product (name, stock, price) VALUES (:n, :s, 9.95)")
                .bind("n", name)
                .bind("s", stock)
                .executeAndReturnGeneratedKeys("id")
                .mapTo(Long.class)
                .one());
  }

  @Override
  public String addAll(List<String> names) {
    return jdbi.inTransaction(
        handle -> {
          PreparedBatch batch =
              handle.prepareBatch("INSERT INTO product (name, stock) VALUES (:name, 10)");
          names.forEach(name -> batch.bind("name", name).add());
          return Arrays.toString(batch.execute());
        });
  }

  @Override
  public List<String> products() {
    return jdbi.withHandle(
        handle ->
            handle.createQuery("SELECT * FROM product ORDER BY id").mapToMap().list().stream()
                .map(Map::toString)
                .toList());
  }

  @Override
  public String purchases() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT COUNT(*) AS n, SUM(quantity) AS total FROM purchase")
                .mapToMap()
                .one()
                .toString());
  }

  @Override
  public void buy(long product, int quantity, boolean fails) {
    jdbi.useTransaction(
        handle -> {
          handle.execute(
              "INSERT INTO purchase (product_id, quantity) VALUES (?, ?)", product, quantity);
          handle.execute("UPDATE product SET stock = stock - ? WHERE id = ?", quantity, product);
          if (fails) {
            throw new IllegalStateException("out of stock");
          }
        });
  }

  @Override
  public void sell(long product, Runnable meanwhile) {
    jdbi.useTransaction(
        handle -> {
          var select = handle.createQuery("SELECT stock FROM product WHERE id = :id");
          int stock = select.bind("id", product).mapTo(Integer.class).one(); // read
          meanwhile.run();
          handle.execute("UPDATE product SET stock = ? WHERE id = ?", stock - 1, product); // write
        });
  }

  @Override
  public int remove(String name) {
    return jdbi.withHandle(handle -> handle.execute("DELETE FROM product WHERE name = ?", name));
  }

  @Override
  public List<String> metadata() throws Exception {
    return jdbi.withHandle(handle -> Schema.metadata(handle.getConnection()));
  }

  @Override
  public void close() {
    pool.close();
  }
}
