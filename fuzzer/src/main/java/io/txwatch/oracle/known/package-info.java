/**
 * Known behaviour of DBMSs. A violation is labelled with a known behaviour only if that behaviour's
 * mechanism gives exactly what was observed: every result, every error and the final state ({@link
 * io.txwatch.oracle.troc.MechanismReplay}), and, where the mechanism is a missing dependency, only
 * if the violation disappears without its cause. A label by circumstances alone hides other bugs
 * behind the label.
 */
@NullMarked
package io.txwatch.oracle.known;

import org.jspecify.annotations.NullMarked;
