package org.example.shop.jpa;

import org.springframework.data.jpa.repository.JpaRepository;

/** The purchases. */
public interface Purchases extends JpaRepository<Purchase, Long> {}
