package io.txwatch.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** The items with a version. */
public interface VersionedItems extends JpaRepository<VersionedItem, Long> {}
