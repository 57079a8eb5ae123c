/** What is particular to a DBMS, behind one interface. */
@NullMarked
package io.txwatch.interleave.product;

import org.jspecify.annotations.NullMarked;
