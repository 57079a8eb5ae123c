package io.txwatch.spring.shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Sells items. What is read is written back some time later. */
@Service
public class OrderService {

  private final Items items;
  private final VersionedItems versioned;

  public OrderService(Items items, VersionedItems versioned) {
    this.items = items;
    this.versioned = versioned;
  }

  @Transactional
  public void sell(long id, Runnable meanwhile) {
    Item item = items.findById(id).orElseThrow();
    meanwhile.run();
    item.setStock(item.getStock() - 1);
  }

  @Transactional
  public void sellVersioned(long id, Runnable meanwhile) {
    VersionedItem item = versioned.findById(id).orElseThrow();
    meanwhile.run();
    item.setStock(item.getStock() - 1);
  }
}
