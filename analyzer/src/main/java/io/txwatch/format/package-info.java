/**
 * Histories of other tools: readers of their files, and their checks.
 *
 * <p>There are two kinds of history. In a <b>list-append</b> history each read returns the list of
 * everything appended to a key, which shows the order of versions; {@link io.txwatch.listappend}
 * checks it. In a <b>register</b> history a read returns a single value; {@link
 * io.txwatch.register} checks it. Files are read once, from front to back, into a few bytes per
 * operation.
 */
@NullMarked
package io.txwatch.format;

import org.jspecify.annotations.NullMarked;
