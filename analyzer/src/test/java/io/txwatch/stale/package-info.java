@NullMarked
package io.txwatch.stale;

import org.jspecify.annotations.NullMarked;
