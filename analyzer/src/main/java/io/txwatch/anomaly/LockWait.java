package io.txwatch.anomaly;

/**
 * A wait of a statement for a lock.
 *
 * @param micros how long it was, in microseconds
 * @param transaction the transaction that held the lock; 0 if it is not watched
 * @param operation what the application calls that transaction
 */
public record LockWait(long micros, long transaction, String operation) {}
