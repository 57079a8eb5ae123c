/**
 * Real database servers on loopback, for tests, demo and benchmarks, without Docker or
 * installation.
 *
 * <p>The binaries come from Maven artifacts (MySQL's from Debian's packages) and are unpacked once
 * into a cache directory. This package starts them, also as root. A server never outlives the JVM
 * that started it: a shell watches a pipe from that JVM; when the pipe closes, however the JVM
 * ended, it ends the server and removes its data. H2 and SQLite have the same interface, {@link
 * io.txwatch.servers.DatabaseServer}. Tests get their servers from {@link
 * io.txwatch.servers.TestServers}.
 */
@NullMarked
package io.txwatch.servers;

import org.jspecify.annotations.NullMarked;
