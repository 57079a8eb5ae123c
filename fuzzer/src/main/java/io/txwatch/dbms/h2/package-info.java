/** What is particular to H2. */
@NullMarked
package io.txwatch.dbms.h2;

import org.jspecify.annotations.NullMarked;
