package org.example.shop.orders;

import org.springframework.data.jpa.repository.JpaRepository;

/** The items. */
interface Items extends JpaRepository<Item, Long> {}
