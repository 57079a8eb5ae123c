/** The oracle that replays the log of row images. */
@NullMarked
package io.txwatch.oracle.log;

import org.jspecify.annotations.NullMarked;
