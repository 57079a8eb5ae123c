/** Tests of predictions, on the programs of the papers. */
@NullMarked
package io.txwatch.predict;

import org.jspecify.annotations.NullMarked;
