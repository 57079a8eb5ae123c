/**
 * Adds the two auxiliary columns to live tables and removes them: the commands {@code prepare} and
 * {@code unprepare} ({@link io.txwatch.prepare.Preparation}), and {@code txwatch.prepare=auto}
 * ({@link io.txwatch.prepare.AutoPreparation}).
 *
 * <p>A plan lists the statements for each table and changes nothing. Its execution is atomic for
 * each table where DDL is transactional; elsewhere an interrupted preparation is completed or
 * reverted by the next run, which reads its state from the system catalog. Tables are read through
 * {@code io.txwatch.catalog}, which does not depend on this package.
 */
@NullMarked
package io.txwatch.prepare;

import org.jspecify.annotations.NullMarked;
