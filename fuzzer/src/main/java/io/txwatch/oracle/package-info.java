/**
 * Oracles: each one decides from an execution whether the DBMS behaved correctly. Several oracles
 * may judge the same execution.
 */
@NullMarked
package io.txwatch.oracle;

import org.jspecify.annotations.NullMarked;
