/**
 * TxCheck (Jiang et al., OSDI 2023): the statements of the committed transactions, executed without
 * transactions in any order that their dependencies permit, must give the same results.
 *
 * <p>Reads around each statement show which row versions it could use, which it replaced and which
 * it wrote (section 3.2: VSR, BWR, AWR). From these, {@link
 * io.txwatch.oracle.txcheck.StatementDependencyInference} derives the seven statement dependencies
 * of section 3.1. Statements that were blocked, and statements on cycles, are removed and the case
 * is executed again (sections 3.3 and 4). The {@link io.txwatch.oracle.txcheck.StatementGraph} is
 * then sorted and its orders are executed (algorithm 1).
 */
@NullMarked
package io.txwatch.oracle.txcheck;

import org.jspecify.annotations.NullMarked;
