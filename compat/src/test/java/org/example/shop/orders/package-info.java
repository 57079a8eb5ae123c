/**
 * A service of orders with Spring Boot, Spring Data JPA and Hibernate, and tests of it in every
 * order, as its team would write them.
 */
@NullMarked
package org.example.shop.orders;

import org.jspecify.annotations.NullMarked;
