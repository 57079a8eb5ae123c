/** JDBC alone, through each pool. */
@NullMarked
package org.example.shop.jdbc;

import org.jspecify.annotations.NullMarked;
