/**
 * The DBMS under test: its own words, its levels, who of its sessions waits for whom, what its
 * errors do to a transaction, and a place of our own on it where nothing of the user's is touched.
 */
@NullMarked
package io.txwatch.dbms;

import org.jspecify.annotations.NullMarked;
