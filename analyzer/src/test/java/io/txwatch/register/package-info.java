/** Tests of the checker of registers, beside those in {@code format} that go through files. */
@NullMarked
package io.txwatch.register;

import org.jspecify.annotations.NullMarked;
