/** Who is blocked by a lock, as the DBMS reports it. */
@NullMarked
package io.txwatch.interleave.wait;

import org.jspecify.annotations.NullMarked;
