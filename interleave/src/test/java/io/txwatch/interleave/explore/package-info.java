/** Tests of the exploration, with plain enumeration as the judge. */
@NullMarked
package io.txwatch.interleave.explore;

import org.jspecify.annotations.NullMarked;
