/**
 * Generates cases: a schema with data, transactions, a submitted order, all from one seed. Values
 * are few and small, so that they collide; statements are typed, so that the DBMS accepts them;
 * nothing in them depends on the order of rows, on time or on chance, so that the same statements
 * in the same order do the same.
 */
@NullMarked
package io.txwatch.generator;

import org.jspecify.annotations.NullMarked;
