package io.txwatch.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** The items. */
public interface Items extends JpaRepository<Item, Long> {}
