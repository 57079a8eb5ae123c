/** The shop with jOOQ. */
@NullMarked
package org.example.shop.jooq;

import org.jspecify.annotations.NullMarked;
