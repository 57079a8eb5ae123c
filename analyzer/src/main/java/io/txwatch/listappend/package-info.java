/**
 * Checks list-append histories: each transaction appends to lists and reads whole lists.
 *
 * <p>A list shows the order in which its elements were appended, so the dependencies of the
 * transactions are known (Kingsbury and Alvaro, Elle, VLDB 2020, section 4). {@link
 * io.txwatch.listappend.ListOrder} derives the order of each key's versions, {@link
 * io.txwatch.listappend.ListDependencies} the dependencies, and {@link
 * io.txwatch.listappend.ListCycles} their cycles. What the lists do not show is the order of
 * appends that no transaction read: they come after everything that was read. Only snapshot
 * isolation needs an order of them, which {@link io.txwatch.listappend.UnreadOrder} searches.
 */
@NullMarked
package io.txwatch.listappend;

import org.jspecify.annotations.NullMarked;
