/**
 * A soak with nested queries on a real DBMS, and a judge of what it reports.
 *
 * <p>{@link io.txwatch.bench.nested.NestedLoad} runs random transactions: queries with derived
 * tables, CTEs, subqueries, joins and set operations, and updates. It logs what each query returned
 * and when; an audit trigger records each version of each row. {@link
 * io.txwatch.bench.nested.DependencyJudge} evaluates the queries itself, on the versions that a
 * query can have seen, and decides for each dependency of a reported anomaly whether the query's
 * result depends on the version in question: a row that an inner block lets through and an outer
 * block filters out is none on which it depends.
 */
@NullMarked
package io.txwatch.bench.nested;

import org.jspecify.annotations.NullMarked;
