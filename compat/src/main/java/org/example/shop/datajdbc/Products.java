package org.example.shop.datajdbc;

import java.util.List;
import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.ListCrudRepository;
import org.springframework.data.repository.query.Param;

/** The products. */
public interface Products extends ListCrudRepository<Product, Long> {

  /** All products by their keys. */
  List<Product> findAllByOrderById();

  /** Removes those of a name. */
  @Modifying
  @Query("DELETE FROM product WHERE name = :name")
  int removeByName(@Param("name") String name);

  /** Takes some from the stock. */
  @Modifying
  @Query("UPDATE product SET stock = stock - :quantity WHERE id = :id")
  int take(@Param("id") long id, @Param("quantity") int quantity);

  /** The sum of the quantities of all purchases. */
  @Query("SELECT SUM(quantity) FROM purchase")
  long purchased();
}
