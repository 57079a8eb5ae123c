/**
 * Generates cases from a seed: a schema with data, transactions, an order of submission. Values are
 * few and small, so that they collide; statements are typed, so that the DBMS accepts them; results
 * do not depend on the order of rows, on time or on randomness, so the same statements in the same
 * order have the same effect.
 */
@NullMarked
package io.txwatch.generator;

import org.jspecify.annotations.NullMarked;
