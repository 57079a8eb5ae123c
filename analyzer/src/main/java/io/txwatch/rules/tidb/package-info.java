/** TiDB in the analysis. */
@NullMarked
package io.txwatch.rules.tidb;

import org.jspecify.annotations.NullMarked;
