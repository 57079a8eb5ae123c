package org.example.shop.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.jspecify.annotations.Nullable;

/** A purchase of a product. */
@Entity
public class Purchase {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private @Nullable Product product;

  private int quantity;

  protected Purchase() {}

  Purchase(Product product, int quantity) {
    this.product = product;
    this.quantity = quantity;
  }

  @Nullable Product getProduct() {
    return product;
  }

  @Override
  public String toString() {
    return id + " " + quantity;
  }
}
