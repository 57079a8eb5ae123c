package io.txwatch.campaign;

/**
 * An error with which the DBMS rejected statements, although the data does not cause it.
 *
 * @param error its code and message, as the first of the statements got it
 * @param statement the first of the statements
 * @param count how many statements got it
 */
public record Rejection(String error, String statement, long count) {}
