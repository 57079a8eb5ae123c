@NullMarked
package io.txwatch.dialect;

import org.jspecify.annotations.NullMarked;
