package io.txwatch.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An item in stock, without a version. */
@Entity
public class Item {

  @Id private long id;
  private int stock;

  protected Item() {}

  public Item(long id, int stock) {
    this.id = id;
    this.stock = stock;
  }

  public int getStock() {
    return stock;
  }

  public void setStock(int stock) {
    this.stock = stock;
  }
}
