/**
 * Oracles: each is handed an execution and says whether the DBMS did what it must. One execution
 * may be judged by several.
 */
@NullMarked
package io.txwatch.oracle;

import org.jspecify.annotations.NullMarked;
