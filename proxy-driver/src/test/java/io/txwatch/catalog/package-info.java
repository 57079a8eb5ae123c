/** Tests of the live catalog, on every DBMS that is available. */
@NullMarked
package io.txwatch.catalog;

import org.jspecify.annotations.NullMarked;
