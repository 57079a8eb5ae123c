/** The shop as an application of Spring Boot, with Spring Data JDBC. */
@NullMarked
package org.example.shop.datajdbc;

import org.jspecify.annotations.NullMarked;
