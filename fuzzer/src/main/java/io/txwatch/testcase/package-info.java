/**
 * Cases: what sets a database up, what the sessions submit in which order, what reads the final
 * state. One text format, read by {@code replay} and written by {@code fuzz}; Troc's case files are
 * read too.
 *
 * <pre>{@code
 * # source: Hermitage, P4
 * I: CREATE TABLE test (id INT PRIMARY KEY, v INT) {ENGINE}
 * I: INSERT INTO test VALUES (1, 10)
 * T1: BEGIN
 * T1@a: SELECT v FROM test WHERE id = 1
 * T2: UPDATE test SET v = 11 WHERE id = 1
 * T1: COMMIT
 * F: SELECT * FROM test
 * }</pre>
 */
@NullMarked
package io.txwatch.testcase;

import org.jspecify.annotations.NullMarked;
