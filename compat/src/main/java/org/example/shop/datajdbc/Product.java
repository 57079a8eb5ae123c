package org.example.shop.datajdbc;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;

/** A row of the table {@code product}. */
public record Product(@Id @Nullable Long id, String name, int stock, @Nullable BigDecimal price) {

  Product withStock(int newStock) {
    return new Product(id, name, newStock, price);
  }
}
