/**
 * Two operations of an application under every order of their JDBC calls, on the real DBMS, with a
 * verdict that needs no invariant: {@link io.txwatch.interleave.Interleaver}.
 */
@NullMarked
package io.txwatch.interleave;

import org.jspecify.annotations.NullMarked;
