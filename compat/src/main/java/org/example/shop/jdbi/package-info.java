/** The shop with Jdbi. */
@NullMarked
package org.example.shop.jdbi;

import org.jspecify.annotations.NullMarked;
