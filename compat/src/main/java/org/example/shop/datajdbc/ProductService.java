package org.example.shop.datajdbc;

import java.math.BigDecimal;
import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The shop's transactions. */
@Service
public class ProductService {

  private final Products products;
  private final Purchases purchases;

  ProductService(Products products, Purchases purchases) {
    this.products = products;
    this.purchases = purchases;
  }

  /** Adds a product. */
  @Transactional
  public Product add(String name, int stock) {
    return products.save(new Product(null, name, stock, new BigDecimal("9.95")));
  }

  /** Adds several. */
  @Transactional
  public List<Product> addAll(List<String> names) {
    return products.saveAll(names.stream().map(name -> new Product(null, name, 10, null)).toList());
  }

  /** Records a purchase. */
  @Transactional
  public void buy(long id, int quantity, boolean fails) {
    purchases.save(new Purchase(null, id, quantity));
    products.take(id, quantity);
    if (fails) {
      throw new IllegalStateException("out of stock");
    }
  }

  /** Reads the stock, and writes one less some time later. */
  @Transactional
  public void sell(long id, Runnable meanwhile) {
    Product product = products.findById(id).orElseThrow(); // read
    meanwhile.run();
    products.save(product.withStock(product.stock() - 1)); // write
  }
}
