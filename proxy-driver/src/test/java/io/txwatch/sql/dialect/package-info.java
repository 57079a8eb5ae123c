@NullMarked
package io.txwatch.sql.dialect;

import org.jspecify.annotations.NullMarked;
