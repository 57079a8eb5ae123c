/**
 * Anomalies: their standard names, how they are found, and a found anomaly with its evidence.
 *
 * <p>The terms are Adya's (thesis, 1999) and Elle's (Kingsbury and Alvaro, VLDB 2020). Names that
 * depend on the rows of the edges (lost update, write skew, …) follow Berenson et al. (SIGMOD 1995)
 * and IsoRel §2.4. IsoRel calls a cycle of one wr and one rw edge G1b; Adya and Elle do not, and
 * G1b here is Adya's intermediate read. This mapping is documented only here.
 */
@NullMarked
package io.txwatch.anomaly;

import org.jspecify.annotations.NullMarked;
