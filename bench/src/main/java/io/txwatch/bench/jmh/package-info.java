/**
 * Measures single steps with JMH, in time and in allocated bytes: tokenizing a text, planning it,
 * delegating a call, observing a statement, judging a transaction.
 */
@NullMarked
package io.txwatch.bench.jmh;

import org.jspecify.annotations.NullMarked;
