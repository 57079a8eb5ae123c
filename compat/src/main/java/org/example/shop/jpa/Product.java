package org.example.shop.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** A product, without a version. */
@Entity
public class Product {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  @Column(length = 40, nullable = false, unique = true)
  private String name = "";

  private int stock;

  @Column(precision = 10, scale = 2)
  private @Nullable BigDecimal price;

  protected Product() {}

  Product(String name, int stock, @Nullable BigDecimal price) {
    this.name = name;
    this.stock = stock;
    this.price = price;
  }

  @Nullable Long getId() {
    return id;
  }

  int getStock() {
    return stock;
  }

  void setStock(int stock) {
    this.stock = stock;
  }

  @Override
  public String toString() {
    return id + " " + name + " " + stock + " " + price;
  }
}
