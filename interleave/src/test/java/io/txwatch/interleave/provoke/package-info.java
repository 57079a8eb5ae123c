/** Tests of the gate that provokes races. */
@NullMarked
package io.txwatch.interleave.provoke;

import org.jspecify.annotations.NullMarked;
