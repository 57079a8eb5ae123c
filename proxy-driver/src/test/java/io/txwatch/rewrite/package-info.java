/** Tests of the plans: written texts with the expected ones, and properties. */
@NullMarked
package io.txwatch.rewrite;

import org.jspecify.annotations.NullMarked;
