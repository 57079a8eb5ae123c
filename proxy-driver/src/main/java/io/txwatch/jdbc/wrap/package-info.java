/**
 * The wrappers that the application has: connection, statements, results, metadata. Their
 * delegating halves are written by the build; what is here is only what they change. What has no
 * way back to the connection is the vendor's own object: arrays, blobs, savepoints. {@code
 * java.sql} does not state what may be null, so neither do the generated halves.
 */
@NullMarked
package io.txwatch.jdbc.wrap;

import org.jspecify.annotations.NullMarked;
