/** The shared analyzer, with real sockets and real processes. */
@org.jspecify.annotations.NullMarked
package io.txwatch.serve;
