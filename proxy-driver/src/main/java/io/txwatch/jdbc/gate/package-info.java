/**
 * Holds an application's calls before they reach the DBMS, for tests that determine their order.
 *
 * <p>While no {@link io.txwatch.jdbc.gate.Gate} is installed, a call costs the read of one field
 * more. It is called before anything is sent for the call, of the application's or of ours.
 */
@NullMarked
package io.txwatch.jdbc.gate;

import org.jspecify.annotations.NullMarked;
