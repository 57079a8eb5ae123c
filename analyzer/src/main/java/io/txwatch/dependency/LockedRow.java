package io.txwatch.dependency;

/**
 * A row that a transaction wrote, or read by a locking SELECT.
 *
 * @param statement the first statement that is known to have done so
 * @param key the value of its primary key, for display; empty if it is not known
 * @param inserted whether the transaction inserted it, so that no other one can have locked it
 */
public record LockedRow(ScopedRow row, int statement, String key, boolean inserted) {}
