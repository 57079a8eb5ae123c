/**
 * Real database servers on loopback, for tests, demo and benchmarks: no Docker, nothing installed.
 *
 * <p>The binaries come from Maven artifacts, are unpacked once into a cache directory and started
 * by this package's own code, as root too. A server's process never outlives the JVM that started
 * it: a shell watches a pipe from that JVM, and ends the server and removes its data when the pipe
 * closes, however the JVM died. H2 and SQLite stand beside them behind the same interface, {@link
 * io.txwatch.servers.DatabaseServer}; tests ask {@link io.txwatch.servers.TestServers}.
 */
@NullMarked
package io.txwatch.servers;

import org.jspecify.annotations.NullMarked;
