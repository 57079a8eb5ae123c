package org.example.shop.orders;

import org.springframework.data.jpa.repository.JpaRepository;

/** The items with versions. */
interface VersionedItems extends JpaRepository<VersionedItem, Long> {}
