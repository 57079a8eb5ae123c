/**
 * From calls to events: which transaction a session is in, which rows a statement touched, where it
 * was called from; and the way of an event to its sinks, behind a bounded queue that never blocks
 * the application.
 */
@NullMarked
package io.txwatch.capture;

import org.jspecify.annotations.NullMarked;
