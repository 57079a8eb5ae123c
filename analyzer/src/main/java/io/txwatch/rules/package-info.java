/**
 * What the analyzer needs to know of a DBMS: its promises, how its reads see versions, how its
 * applications lock. Each DBMS and each fork has a package of its own below this one.
 */
@NullMarked
package io.txwatch.rules;

import org.jspecify.annotations.NullMarked;
