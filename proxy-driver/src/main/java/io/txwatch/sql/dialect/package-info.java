/** The DBMSs whose SQL is read and rewritten, and in what they differ. */
@NullMarked
package io.txwatch.sql.dialect;

import org.jspecify.annotations.NullMarked;
