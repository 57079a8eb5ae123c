/** Tests of the checker of registers; those in {@code format} read files. */
@NullMarked
package io.txwatch.register;

import org.jspecify.annotations.NullMarked;
