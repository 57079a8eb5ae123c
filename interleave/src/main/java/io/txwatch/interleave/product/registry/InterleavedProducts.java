package io.txwatch.interleave.product.registry;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.product.h2.InterleavedH2;
import io.txwatch.interleave.product.mariadb.InterleavedMariaDb;
import io.txwatch.interleave.product.mysql.InterleavedMySql;
import io.txwatch.interleave.product.postgresql.InterleavedPostgres;
import java.util.List;
import java.util.Optional;

/** The DBMSs on which operations are interleaved. */
public final class InterleavedProducts {

  private static final List<InterleavedProduct> ALL =
      List.of(
          new InterleavedPostgres(),
          new InterleavedMySql(),
          new InterleavedMariaDb(),
          new InterleavedH2());

  private InterleavedProducts() {}

  /** What is particular to a product; empty if operations are not interleaved on it. */
  public static Optional<InterleavedProduct> find(Product product) {
    return ALL.stream().filter(one -> one.recognizes(product)).findFirst();
  }
}
