/**
 * The shop as an application of Spring Boot, with Spring Data JPA and Hibernate, which validates
 * the schema.
 */
@NullMarked
package org.example.shop.jpa;

import org.jspecify.annotations.NullMarked;
