/** Debezium's own engine on real servers: tests, and what writes the recordings of other tests. */
@NullMarked
package io.txwatch.debezium;

import org.jspecify.annotations.NullMarked;
