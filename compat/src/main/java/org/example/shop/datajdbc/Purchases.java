package org.example.shop.datajdbc;

import org.springframework.data.repository.ListCrudRepository;

/** The purchases. */
public interface Purchases extends ListCrudRepository<Purchase, Long> {}
