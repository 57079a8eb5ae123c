package org.example.shop.orders;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SequenceGenerator;
import java.time.Instant;
import org.hibernate.annotations.CreationTimestamp;
import org.jspecify.annotations.Nullable;

/** An order: its key comes from a sequence, fifty at a time, and its time from the clock. */
@Entity
class PurchaseOrder {

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "orders")
  @SequenceGenerator(name = "orders", allocationSize = 50)
  private @Nullable Long id;

  @ManyToOne(fetch = FetchType.LAZY)
  private @Nullable Item item;

  private int quantity;

  @CreationTimestamp private @Nullable Instant created;

  protected PurchaseOrder() {}

  PurchaseOrder(@Nullable Item item, int quantity) {
    this.item = item;
    this.quantity = quantity;
  }

  /** Loads the item if it has not been loaded. */
  String describe() {
    Item ordered = item;
    return quantity + " of " + (ordered == null ? "nothing" : ordered.getId()) + created + id;
  }
}
