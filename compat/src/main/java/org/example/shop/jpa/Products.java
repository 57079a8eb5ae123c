package org.example.shop.jpa;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

/** The products. */
public interface Products extends JpaRepository<Product, Long> {

  /** All products by their keys. */
  List<Product> findAllByOrderById();

  /** Removes those of a name. */
  int deleteByName(String name);

  /** The number of purchases, and the sum of their quantities. */
  @Query("select concat('', count(p), ' ', sum(p.quantity)) from Purchase p")
  String purchases();
}
