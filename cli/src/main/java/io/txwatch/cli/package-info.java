/**
 * The commands. Each is a class that reads its options, calls the other modules, and prints the
 * outcome: JSON to standard output; text there, too, or, with {@code --json}, to standard error. It
 * returns the {@linkplain io.txwatch.cli.ExitCode exit code}.
 *
 * <p>What only a class loader of a command may load (vendor drivers, the demo's application) is
 * nested in {@code txwatch.jar} as jars, in {@code nested/}: {@link io.txwatch.cli.NestedJars}.
 */
@NullMarked
package io.txwatch.cli;

import org.jspecify.annotations.NullMarked;
