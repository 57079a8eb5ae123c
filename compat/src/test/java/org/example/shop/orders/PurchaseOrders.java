package org.example.shop.orders;

import org.springframework.data.jpa.repository.JpaRepository;

/** The orders. */
interface PurchaseOrders extends JpaRepository<PurchaseOrder, Long> {}
