package io.txwatch.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** An item in stock; Hibernate checks its version when it writes. */
@Entity
public class VersionedItem {

  @Id private long id;
  private int stock;
  @Version private long version;

  protected VersionedItem() {}

  public VersionedItem(long id, int stock) {
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
