/** What an id depends on, and what a baseline file accepts. */
@NullMarked
package io.txwatch.baseline;

import org.jspecify.annotations.NullMarked;
