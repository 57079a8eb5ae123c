/**
 * The SQL of the libraries that applications use, by their ordinary use: each is run raw and
 * watched, and must see the same.
 */
@NullMarked
package io.txwatch.corpus.orm;

import org.jspecify.annotations.NullMarked;
