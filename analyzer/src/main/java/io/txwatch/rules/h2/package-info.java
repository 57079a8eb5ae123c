/** H2 in the analysis. */
@NullMarked
package io.txwatch.rules.h2;

import org.jspecify.annotations.NullMarked;
