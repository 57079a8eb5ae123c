/**
 * The results of an analyzer while it runs, as pages and metrics read them ({@link
 * io.txwatch.live.LiveSource}).
 */
@NullMarked
package io.txwatch.live;

import org.jspecify.annotations.NullMarked;
