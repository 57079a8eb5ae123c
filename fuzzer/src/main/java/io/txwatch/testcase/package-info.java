/**
 * Cases: the set-up of a database, the statements of the sessions in the order of submission, and
 * the reads of the final state. {@code replay} reads the text format and {@code fuzz} writes it;
 * Troc's case files are read, too.
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
