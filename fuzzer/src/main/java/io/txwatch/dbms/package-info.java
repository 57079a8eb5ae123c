/**
 * The DBMSs under test: SQL placeholders, isolation levels, blocked sessions, the classification of
 * errors, and workspaces, in which a case cannot touch the user's data.
 */
@NullMarked
package io.txwatch.dbms;

import org.jspecify.annotations.NullMarked;
