package io.txwatch.predict;

import io.txwatch.dependency.DependencyKind;

/**
 * A dependency that two instances would have if their keys were equal.
 *
 * @param from the instance that comes first, by its place in {@link RaceCandidate#operations}
 * @param fromStatement its statement
 * @param to the instance that depends on it
 * @param toStatement its statement
 * @param kind how it depends
 * @param table the table of the row
 * @param predicate whether the row is chosen by more than its key
 */
public record TemplateConflict(
    int from,
    TemplateStatement fromStatement,
    int to,
    TemplateStatement toStatement,
    DependencyKind kind,
    String table,
    boolean predicate) {}
