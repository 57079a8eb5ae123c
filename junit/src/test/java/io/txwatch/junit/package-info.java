/** Tests of the extension, which run the tests of an application in package {@code shop}. */
@NullMarked
package io.txwatch.junit;

import org.jspecify.annotations.NullMarked;
