/** Tests of the whole: the arrows between the modules. */
@NullMarked
package io.txwatch;

import org.jspecify.annotations.NullMarked;
