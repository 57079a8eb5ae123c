/**
 * Histories that others wrote: readers of their files, and the way from there to a verdict.
 *
 * <p>Two kinds of history exist. In a <b>list-append</b> history each read returns the list of all
 * that was appended to a key, so the order of versions can be read off (Kingsbury and Alvaro, Elle,
 * VLDB 2020, §4): it is turned into events and judged by the same analyzer as our own. In a
 * <b>register</b> history a read returns one value only; {@link io.txwatch.register} judges it.
 * Files are read once, from front to back, into a few bytes an operation.
 */
@NullMarked
package io.txwatch.format;

import org.jspecify.annotations.NullMarked;
