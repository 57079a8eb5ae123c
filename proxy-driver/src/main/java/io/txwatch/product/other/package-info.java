/** What is particular to a DBMS that has no package of its own. */
@NullMarked
package io.txwatch.product.other;

import org.jspecify.annotations.NullMarked;
