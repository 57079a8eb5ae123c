package org.example.shop.jpa;

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
    return products.save(new Product(name, stock, new BigDecimal("9.95")));
  }

  /** Adds several. */
  @Transactional
  public List<Product> addAll(List<String> names) {
    return products.saveAll(names.stream().map(name -> new Product(name, 10, null)).toList());
  }

  /** Records a purchase. */
  @Transactional
  public void buy(long id, int quantity, boolean fails) {
    Product product = products.findById(id).orElseThrow();
    purchases.save(new Purchase(product, quantity));
    product.setStock(product.getStock() - quantity);
    products.flush();
    if (fails) {
      throw new IllegalStateException("out of stock");
    }
  }

  /** Reads the stock, and writes one less some time later: at the commit. */
  @Transactional
  public void sell(long id, Runnable meanwhile) {
    Product product = products.findById(id).orElseThrow(); // read
    meanwhile.run();
    product.setStock(product.getStock() - 1);
  }

  /** Removes those of a name. */
  @Transactional
  public int remove(String name) {
    return products.deleteByName(name);
  }
}
