/**
 * Executes operations of an application with their JDBC calls in a given order: a gate holds each
 * operation before each call and lets one go on at a time. Whether one is blocked by another is
 * asked from the DBMS.
 */
@NullMarked
package io.txwatch.interleave.run;

import org.jspecify.annotations.NullMarked;
