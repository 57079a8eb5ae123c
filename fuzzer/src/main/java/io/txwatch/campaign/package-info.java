/**
 * Campaigns: several workers execute generated cases on one server; oracles judge them; findings
 * are reduced, reproduced and reported.
 */
@NullMarked
package io.txwatch.campaign;

import org.jspecify.annotations.NullMarked;
