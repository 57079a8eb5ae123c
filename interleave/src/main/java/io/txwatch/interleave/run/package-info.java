/**
 * Executes operations of an application with their JDBC calls in a given order: a gate holds each
 * operation before each call and lets one go on at a time. The DBMS reports whether one is blocked
 * by another.
 */
@NullMarked
package io.txwatch.interleave.run;

import org.jspecify.annotations.NullMarked;
