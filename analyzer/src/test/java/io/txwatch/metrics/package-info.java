/** Tests of the meters, in all three forms. */
@NullMarked
package io.txwatch.metrics;

import org.jspecify.annotations.NullMarked;
