/**
 * The commands. Each is a class that reads its options, calls what the other modules do, and says
 * what came of it: everything machine-readable on standard output, everything for people there too
 * or, with {@code --json}, on standard error; the {@linkplain io.txwatch.cli.ExitCode exit code}
 * last.
 *
 * <p>What only a command's own class loader may see (vendor drivers, the demo's application) lies
 * in {@code txwatch.jar} as jars, in {@code nested/}: {@link io.txwatch.cli.Nested}.
 */
@NullMarked
package io.txwatch.cli;

import org.jspecify.annotations.NullMarked;
