/** openGauss in the analysis. */
@NullMarked
package io.txwatch.rules.opengauss;

import org.jspecify.annotations.NullMarked;
