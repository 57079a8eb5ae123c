/**
 * Histories of other tools: readers of their files, and their checks.
 *
 * <p>There are two kinds of history. In a <b>list-append</b> history each read returns the list of
 * everything appended to a key, which shows the order of versions (Kingsbury and Alvaro, Elle, VLDB
 * 2020, §4). It is converted to events and checked by the same analyzer as our own histories. In a
 * <b>register</b> history a read returns a single value; {@link io.txwatch.register} checks it.
 * Files are read once, from front to back, into a few bytes per operation.
 */
@NullMarked
package io.txwatch.format;

import org.jspecify.annotations.NullMarked;
