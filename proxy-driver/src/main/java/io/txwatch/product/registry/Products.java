package io.txwatch.product.registry;

import io.txwatch.product.WatchedProduct;
import io.txwatch.product.h2.H2Product;
import io.txwatch.product.mariadb.MariaDbProduct;
import io.txwatch.product.mysql.MySqlProduct;
import io.txwatch.product.other.OtherProduct;
import io.txwatch.product.postgresql.PostgresProduct;
import io.txwatch.product.sqlite.SqliteProduct;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;

/** The DBMSs that are watched. To add one, add its package, and one line here. */
public final class Products {

  private static final List<WatchedProduct> ALL =
      List.of(
          new PostgresProduct(),
          new MySqlProduct(),
          new MariaDbProduct(),
          new H2Product(),
          new SqliteProduct(),
          new OtherProduct());

  private Products() {}

  /** The DBMS that has this SQL. */
  public static WatchedProduct of(Dialect dialect) {
    return ALL.stream()
        .filter(product -> product.dialect() == dialect)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(dialect.name()));
  }
}
