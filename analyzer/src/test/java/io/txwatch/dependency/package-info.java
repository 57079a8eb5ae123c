/** Dependencies, checked against a naive reference on random executions of a simulated DBMS. */
@org.jspecify.annotations.NullMarked
package io.txwatch.dependency;
