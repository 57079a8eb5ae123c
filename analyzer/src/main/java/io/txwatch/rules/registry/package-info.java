/** Finds the rules of a DBMS. */
@NullMarked
package io.txwatch.rules.registry;

import org.jspecify.annotations.NullMarked;
