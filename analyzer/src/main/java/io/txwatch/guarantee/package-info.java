/**
 * What each DBMS promises at each level, by its documentation, version and settings, and what
 * Adya's levels require. The former decides between VIOLATION and HAZARD by default, the latter on
 * request.
 */
@NullMarked
package io.txwatch.guarantee;

import org.jspecify.annotations.NullMarked;
