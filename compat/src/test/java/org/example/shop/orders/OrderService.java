package org.example.shop.orders;

import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Orders of what is in stock. */
@Service
class OrderService {

  private final Items items;
  private final VersionedItems versioned;
  private final PurchaseOrders orders;
  private final TransactionTemplate transaction;

  OrderService(
      Items items,
      VersionedItems versioned,
      PurchaseOrders orders,
      PlatformTransactionManager transactions) {
    this.items = items;
    this.versioned = versioned;
    this.orders = orders;
    this.transaction = new TransactionTemplate(transactions);
  }

  /** Takes a quantity from the stock, and records the order. */
  @Transactional
  public void place(long id, int quantity) {
    Item item = items.findById(id).orElseThrow();
    item.take(quantity);
    orders.save(new PurchaseOrder(item, quantity));
  }

  /** The same of an item with a version. */
  @Transactional
  public void placeVersioned(long id, int quantity) {
    VersionedItem item = versioned.findById(id).orElseThrow();
    item.take(quantity);
    orders.save(new PurchaseOrder(null, quantity));
  }

  /** As {@link #place}, in a transaction that a template begins. */
  void placeByTemplate(long id, int quantity) {
    transaction.executeWithoutResult(status -> place(id, quantity));
  }

  /** The number of orders, with their items loaded. */
  @Transactional(readOnly = true)
  public long count() {
    return orders.findAll().stream().map(PurchaseOrder::describe).count();
  }
}
