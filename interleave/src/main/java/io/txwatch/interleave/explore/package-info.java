/**
 * Which orders of the calls of concurrent operations are executed: enough that each order that is
 * possible is equivalent to one of them, and few.
 *
 * <p>Two orders are equivalent if they differ in the order of independent calls alone. {@link
 * io.txwatch.interleave.explore.Explorer} executes one order, finds the pairs of calls that depend
 * on each other and could have come the other way round, and executes an order for each (dynamic
 * partial-order reduction: Flanagan and Godefroid, POPL 2005; which of the operations goes first at
 * such a place: source sets, Abdulla et al., POPL 2014; within a bound on preemptions: Coons,
 * Musuvathi and McKinley, OOPSLA 2013).
 *
 * <p>Nothing here knows of databases or threads: what is explored is a {@link
 * io.txwatch.interleave.explore.Program}.
 */
@NullMarked
package io.txwatch.interleave.explore;

import org.jspecify.annotations.NullMarked;
