/**
 * The driver behind {@code jdbc:txwatch:}, the data sources, and {@link io.txwatch.jdbc.Watch}, the
 * one way in. The public types of this package are for applications and for the other modules;
 * those of the packages below it are not.
 *
 * <p>The way of a statement, from top to bottom, in the order of the packages; none depends on one
 * above it:
 *
 * <ol>
 *   <li>{@code wrap}: the application calls {@code execute} on a wrapper;
 *   <li>{@code session}, {@code plan}: the plan for the text, by lookup, and its variant that is
 *       right now;
 *   <li>{@code execution}: the execution begins, the text is sent to the driver, hidden columns are
 *       read as the application steps through the result;
 *   <li>{@code read}: what is read besides, before and after;
 *   <li>{@code value}: what a result and the statement itself show of rows, where versions are
 *       known by value and the text is sent as it is;
 *   <li>{@code io.txwatch.capture}: the observation, and at its end the event.
 * </ol>
 */
@NullMarked
package io.txwatch.jdbc;

import org.jspecify.annotations.NullMarked;
