/** Creates the oracles by their kinds. */
@NullMarked
package io.txwatch.oracle.registry;

import org.jspecify.annotations.NullMarked;
