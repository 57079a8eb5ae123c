package org.example.shop.datajdbc;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;

/** A row of the table {@code purchase}. */
public record Purchase(@Id @Nullable Long id, long productId, int quantity) {}
