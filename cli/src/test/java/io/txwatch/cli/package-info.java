/** Tests of the commands, and of the jar that carries them. */
@NullMarked
package io.txwatch.cli;

import org.jspecify.annotations.NullMarked;
