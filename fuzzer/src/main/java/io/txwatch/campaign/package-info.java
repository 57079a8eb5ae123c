/**
 * Campaigns: cases are made from a seed, executed by several workers on one server, judged, and
 * what is found is reduced, tried again, and written down.
 */
@NullMarked
package io.txwatch.campaign;

import org.jspecify.annotations.NullMarked;
