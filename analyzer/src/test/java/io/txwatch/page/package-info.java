/** The page, over HTTP and in a real browser. */
@NullMarked
package io.txwatch.page;

import org.jspecify.annotations.NullMarked;
