/** The shop with MyBatis. */
@NullMarked
package org.example.shop.mybatis;

import org.jspecify.annotations.NullMarked;
