/**
 * A parsed statement with the catalog's tables, and what a rewrite must ask about it: what its
 * names refer to, what can be evaluated once more with the same result, what can fail, and which
 * views are plain.
 */
@NullMarked
package io.txwatch.statement;

import org.jspecify.annotations.NullMarked;
