package io.txwatch.interleave.run;

import java.util.concurrent.Callable;

/**
 * An operation of an application, which is executed again and again.
 *
 * @param name as reports show it
 * @param body what it does; it may return a value and throw any exception
 */
public record Operation(String name, Callable<?> body) {}
