package io.txwatch.dependency;

/**
 * A row of a table, distinct from the rows of tables of the same name elsewhere.
 *
 * @param scope where the table is: {@code Database.scope()}
 */
public record ScopedRow(String scope, String table, long row) {}
