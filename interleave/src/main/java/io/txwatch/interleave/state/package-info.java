/**
 * The tables that operations touch: their rows before, which are restored, and after, which are
 * compared.
 */
@NullMarked
package io.txwatch.interleave.state;

import org.jspecify.annotations.NullMarked;
