/** The analyzer as a whole, on histories in {@linkplain Notation a line} and on random ones. */
@org.jspecify.annotations.NullMarked
package io.txwatch.analyzer;
