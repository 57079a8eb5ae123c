/** MySQL in the analysis. */
@NullMarked
package io.txwatch.rules.mysql;

import org.jspecify.annotations.NullMarked;
