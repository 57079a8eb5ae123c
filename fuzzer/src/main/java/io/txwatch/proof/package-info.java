/**
 * Proves predicted races by executing them.
 *
 * <p>A {@link io.txwatch.predict.RaceCandidate} becomes a case: the tables that its operations use,
 * as they are defined, with the rows that the operations found when they were observed, and their
 * statements with equal keys where the cycle needs that. {@link io.txwatch.proof.RaceProver}
 * executes every order of it in a schema of its own.
 */
@NullMarked
package io.txwatch.proof;

import org.jspecify.annotations.NullMarked;
