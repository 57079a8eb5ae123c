/**
 * What can go wrong, and where it did: the field's words for anomalies, and one found anomaly with
 * its evidence.
 *
 * <p>The words are Adya's (thesis, 1999) and Elle's (Kingsbury and Alvaro, VLDB 2020); the names by
 * the rows of the edges (lost update, write skew, …) follow Berenson et al. (SIGMOD 1995) and
 * IsoRel §2.4. IsoRel calls a cycle of one wr and one rw edge G1b; Adya and Elle do not, and G1b
 * here is Adya's intermediate read. That mapping is written down nowhere else.
 */
@NullMarked
package io.txwatch.anomaly;

import org.jspecify.annotations.NullMarked;
