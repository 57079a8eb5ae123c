package org.example.shop.orders;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** What is sold, without a version. */
@Entity
class Item {

  @Id private long id;

  private int stock;

  protected Item() {}

  Item(long id, int stock) {
    this.id = id;
    this.stock = stock;
  }

  long getId() {
    return id;
  }

  void take(int quantity) {
    if (stock < quantity) {
      throw new IllegalStateException("out of stock");
    }
    stock -= quantity;
  }
}
