package org.example.shop.mybatis;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.example.shop.Schema;
import org.example.shop.Shop;
import org.example.shop.Workload;
import org.example.shop.jdbc.PooledShop;

/** MyBatis. */
public final class MyBatisShop implements Shop {

  private final HikariDataSource pool;
  private final SqlSessionFactory sessions;

  /** The statements. */
  public interface Products {
    @Insert("INSERT INTO product (name, stock, price) VALUES (#{name}, #{stock}, 9.95)")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
    int add(Product product);

    @Select("SELECT * FROM product ORDER BY id")
    List<Map<String, Object>> all();

    @Select("SELECT COUNT(*) AS n, SUM(quantity) AS total FROM purchase")
    Map<String, Object> purchases();

    @Insert("INSERT INTO purchase (product_id, quantity) VALUES (#{product}, #{quantity})")
    int addPurchase(@Param("product") long product, @Param("quantity") int quantity);

    @Update("UPDATE product SET stock = stock - #{quantity} WHERE id = #{product}")
    int take(@Param("product") long product, @Param("quantity") int quantity);

    @Select("SELECT stock FROM product WHERE id = #{product}")
    int stock(long product);

    @Update("UPDATE product SET stock = #{stock} WHERE id = #{product}")
    int setStock(@Param("product") long product, @Param("stock") int stock);

    @Delete("DELETE FROM product WHERE name = #{name}")
    int remove(String name);
  }

  /** A row. */
  public static final class Product {
    private long id;
    private final String name;
    private final int stock;

    Product(String name, int stock) {
      this.name = name;
      this.stock = stock;
    }

    public long getId() {
      return id;
    }

    public void setId(long id) {
      this.id = id;
    }

    public String getName() {
      return name;
    }

    public int getStock() {
      return stock;
    }
  }

  /** Opens it. */
  public MyBatisShop(String url) {
    pool = PooledShop.hikari(url);
    Configuration configuration =
        new Configuration(new Environment("shop", new JdbcTransactionFactory(), pool));
    configuration.addMapper(Products.class);
    sessions = new SqlSessionFactoryBuilder().build(configuration);
  }

  /**
   * Runs it.
   *
   * @param arguments the URL
   */
  public static void main(String[] arguments) throws Exception {
    Workload.run(new MyBatisShop(arguments[0]));
  }

  @Override
  public long add(String name, int stock) {
    try (SqlSession session = sessions.openSession(true)) {
      Product product = new Product(name, stock);
      session.getMapper(Products.class).add(product);
      return product.getId();
    }
  }

  @Override
  public String addAll(List<String> names) {
    try (SqlSession session = sessions.openSession(ExecutorType.BATCH)) {
      Products products = session.getMapper(Products.class);
      List<Product> added = names.stream().map(name -> new Product(name, 10)).toList();
      added.forEach(products::add);
      String counts = java.util.Arrays.toString(session.flushStatements().get(0).getUpdateCounts());
      session.commit();
      return counts + " " + added.stream().map(Product::getId).toList();
    }
  }

  @Override
  public List<String> products() {
    try (SqlSession session = sessions.openSession()) {
      return session.getMapper(Products.class).all().stream()
          .map(row -> new TreeMap<>(row).toString())
          .toList();
    }
  }

  @Override
  public String purchases() {
    try (SqlSession session = sessions.openSession()) {
      return new TreeMap<>(session.getMapper(Products.class).purchases()).toString();
    }
  }

  @Override
  public void buy(long product, int quantity, boolean fails) {
    try (SqlSession session = sessions.openSession()) {
      Products products = session.getMapper(Products.class);
      products.addPurchase(product, quantity);
      products.take(product, quantity);
      if (fails) {
        throw new IllegalStateException("out of stock");
      }
      session.commit();
    }
  }

  @Override
  public void sell(long product, Runnable meanwhile) {
    try (SqlSession session = sessions.openSession()) {
      Products products = session.getMapper(Products.class);
      int stock = products.stock(product); // read
      meanwhile.run();
      products.setStock(product, stock - 1); // write
      session.commit();
    }
  }

  @Override
  public int remove(String name) {
    try (SqlSession session = sessions.openSession(true)) {
      return session.getMapper(Products.class).remove(name);
    }
  }

  @Override
  public List<String> metadata() throws Exception {
    try (SqlSession session = sessions.openSession()) {
      return Schema.metadata(session.getConnection());
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
