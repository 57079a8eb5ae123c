package org.example.shop.orders;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** What is sold, with a version: of two writers that have read the same one, one fails. */
@Entity
class VersionedItem {

  @Id private long id;

  private int stock;

  @Version private int version;

  protected VersionedItem() {}

  VersionedItem(long id, int stock) {
    this.id = id;
    this.stock = stock;
  }

  void take(int quantity) {
    if (stock < quantity) {
      throw new IllegalStateException("out of stock");
    }
    stock -= quantity;
  }

  @Override
  public String toString() {
    return id + " in version " + version + ": " + stock;
  }
}
