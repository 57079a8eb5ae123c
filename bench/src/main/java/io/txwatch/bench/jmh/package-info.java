/**
 * What single steps cost, in time and in bytes allocated: cutting a text into tokens, planning it,
 * passing a call on, observing a statement, judging a transaction. With JMH.
 */
@NullMarked
package io.txwatch.bench.jmh;

import org.jspecify.annotations.NullMarked;
