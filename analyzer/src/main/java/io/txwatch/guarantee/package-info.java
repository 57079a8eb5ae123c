/**
 * What each DBMS promises at each level, by its own documentation, version and settings; and what
 * Adya's levels ask for. The difference between the two is the difference between a VIOLATION and a
 * HAZARD.
 */
@NullMarked
package io.txwatch.guarantee;

import org.jspecify.annotations.NullMarked;
