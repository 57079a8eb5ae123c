/** A shop with its products in one database, and copies of them in another. */
@NullMarked
package org.example.shop.jta;

import org.jspecify.annotations.NullMarked;
